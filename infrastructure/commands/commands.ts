import { grantAdminCommand, revokeAdminCommand } from './admin-role.ts';
import { auditCommand } from './audit.ts';
import { backupCommand } from './backup.ts';
import { barsCommand } from './bars.ts';
import { baseRatesCommand } from './base-rates.ts';
import { buildAtlasCommand } from './build-atlas.ts';
import { checkBackupCommand } from './check-backup.ts';
import { checkCohortsCommand } from './check-cohorts.ts';
import { checkEvidenceCommand } from './check-evidence.ts';
import { circuitsCommand } from './circuits.ts';
import type { Command, OfflineCommand } from './command.ts';
import { compareSourcesCommand } from './compare-sources.ts';
import { deleteOwnerCommand } from './delete-owner.ts';
import { doctorCommand } from './doctor.ts';
import { exportOwnerCommand } from './export-owner.ts';
import { importBarsCommand } from './import-bars.ts';
import { importKeyCommand } from './import-key.ts';
import { listOwnersCommand } from './list-owners.ts';
import { loadPackagedCommand } from './load-packaged.ts';
import { logNewCommand, logResumeCommand } from './log.ts';
import { migrateCommand } from './migrate.ts';
import { quarantineCommand, releaseCommand } from './moderation.ts';
import { probeSourcesCommand } from './probe-sources.ts';
import { recomputeCommand } from './recompute.ts';
import { refreshCommand } from './refresh.ts';
import { resetFactorsCommand } from './reset-factors.ts';
import { resetPasswordCommand } from './reset-password.ts';
import { restoreCommand } from './restore.ts';
import { securityEventsCommand } from './security-events.ts';
import { setTierCommand } from './set-tier.ts';
import { sourcesCommand } from './sources.ts';
import { statusCommand } from './status.ts';
import { resumeOwnerCommand, suspendOwnerCommand } from './suspend-owner.ts';

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
  'reset-factors': resetFactorsCommand,
  'reset-password': resetPasswordCommand,
  restore: restoreCommand,
  'resume-owner': resumeOwnerCommand,
  'revoke-admin': revokeAdminCommand,
  'security-events': securityEventsCommand,
  'set-tier': setTierCommand,
  sources: sourcesCommand,
  status: statusCommand,
  'suspend-owner': suspendOwnerCommand,
};
