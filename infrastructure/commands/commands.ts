import { grantAdminCommand, revokeAdminCommand } from './accounts/admin-role.ts';
import { auditCommand } from './accounts/audit.ts';
import { deleteOwnerCommand } from './accounts/delete-owner.ts';
import { exportOwnerCommand } from './accounts/export-owner.ts';
import { importKeyCommand } from './accounts/import-key.ts';
import { listOwnersCommand } from './accounts/list-owners.ts';
import { quarantineCommand, releaseCommand } from './accounts/moderation.ts';
import { resetFactorsCommand } from './accounts/reset-factors.ts';
import { resetPasswordCommand } from './accounts/reset-password.ts';
import { securityEventsCommand } from './accounts/security-events.ts';
import { setTierCommand } from './accounts/set-tier.ts';
import { resumeOwnerCommand, suspendOwnerCommand } from './accounts/suspend-owner.ts';
import { backupCommand } from './backup/backup.ts';
import { checkBackupCommand } from './backup/check-backup.ts';
import { restoreCommand } from './backup/restore.ts';
import { buildAtlasCommand } from './build-atlas.ts';
import { circuitsCommand } from './circuits.ts';
import type { Command, OfflineCommand } from './command.ts';
import { doctorCommand } from './doctor/doctor.ts';
import { checkCohortsCommand } from './evidence/check-cohorts.ts';
import { checkEvidenceCommand } from './evidence/check-evidence.ts';
import { logNewCommand, logResumeCommand } from './evidence/log.ts';
import { recomputeCommand } from './evidence/recompute.ts';
import { migrateCommand } from './migrate.ts';
import { barsCommand } from './prices/bars.ts';
import { baseRatesCommand } from './prices/base-rates.ts';
import { compareSourcesCommand } from './prices/compare-sources.ts';
import { importBarsCommand } from './prices/import-bars.ts';
import { loadPackagedCommand } from './prices/load-packaged.ts';
import { probeSourcesCommand } from './prices/probe-sources.ts';
import { refreshCommand } from './prices/refresh.ts';
import { sourcesCommand } from './prices/sources.ts';
import { renewSecretCommand } from './secrets/renew-secret.ts';
import { resealSecretsCommand, secretsCommand } from './secrets/secrets.ts';
import { statusCommand } from './status.ts';

/** Every command by its name. */
export const COMMANDS: Readonly<Record<string, Command | OfflineCommand>> = {
  audit: auditCommand,
  backup: backupCommand,
  bars: barsCommand,
  'base-rates': baseRatesCommand,
  'build-atlas': buildAtlasCommand,
  'check-backup': checkBackupCommand,
  'check-cohorts': checkCohortsCommand,
  'check-evidence': checkEvidenceCommand,
  circuits: circuitsCommand,
  'compare-sources': compareSourcesCommand,
  'delete-owner': deleteOwnerCommand,
  doctor: doctorCommand,
  'export-owner': exportOwnerCommand,
  'grant-admin': grantAdminCommand,
  'import-bars': importBarsCommand,
  'import-key': importKeyCommand,
  'list-owners': listOwnersCommand,
  'load-packaged': loadPackagedCommand,
  'log-new': logNewCommand,
  'log-resume': logResumeCommand,
  migrate: migrateCommand,
  'probe-sources': probeSourcesCommand,
  quarantine: quarantineCommand,
  recompute: recomputeCommand,
  refresh: refreshCommand,
  release: releaseCommand,
  'renew-secret': renewSecretCommand,
  'reseal-secrets': resealSecretsCommand,
  'reset-factors': resetFactorsCommand,
  'reset-password': resetPasswordCommand,
  restore: restoreCommand,
  'resume-owner': resumeOwnerCommand,
  'revoke-admin': revokeAdminCommand,
  secrets: secretsCommand,
  'security-events': securityEventsCommand,
  'set-tier': setTierCommand,
  sources: sourcesCommand,
  status: statusCommand,
  'suspend-owner': suspendOwnerCommand,
};
