import { recentLoginBy } from '../../../../application/accounts/sign-in/recent-login.ts';
import { probeSources } from '../../../../application/market/probe-sources.ts';
import { requestBackup } from '../../../../application/operators/request-backup.ts';
import type { Ports } from '../../../../application/ports.ts';
import { SOURCE_PROBES } from '../../../../domain/limits.ts';
import { SECOND } from '../../../../domain/time.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { backupRequest, sourceAnswers } from '../../shapes/operators/service-actions.ts';

export const probeSourcesEndpoint = (ports: Pick<Ports, 'sourceProbes' | 'transaction'>) =>
  endpoint({
    id: 'probeSources',
    method: 'POST',
    path: '/api/v1/admin/sources/probe',
    isAddition: true,
    summary: 'Send each source one request',
    description:
      'A small request to each live source of the configuration, and to no other host, with what each answered within ' +
      `${SOURCE_PROBES.longest / SECOND} seconds. All processes together do so once in ${SOURCE_PROBES.every / SECOND} ` +
      'seconds (RATE_LIMIT_EXCEEDED otherwise). It is in the audit log. The command `probe-sources` shows the same.',
    tag: 'Admin',
    auth: 'admin',
    replies: {
      200: {
        description: 'What each answered.',
        schema: sourceAnswers,
        example: {
          sources: [
            {
              source: 'kraken',
              subject: 'crypto:BTC:KRAKEN:spot:USD',
              ok: true,
              latency_ms: 184,
              newest: new Date('2026-01-30T14:29:00.000Z'),
              error: null,
            },
          ],
        },
      },
    },
    problems: [],
    async handle({ caller }) {
      return { status: 200, body: { sources: await probeSources(ports, caller.owner_id) } };
    },
  });

export const requestBackupEndpoint = (
  ports: Pick<Ports, 'backupMaker' | 'transaction' | 'identityProvider' | 'clock' | 'settings'>,
) =>
  endpoint({
    id: 'requestBackup',
    method: 'POST',
    path: '/api/v1/admin/backups',
    isAddition: true,
    summary: 'Begin a backup',
    description:
      'The process that answers writes one into its BACKUP_DIR, as the command `backup` does; it is never sent by HTTP. ' +
      '`backups` of `GET /api/v1/admin/status` says how it ended, and what keeps a process from making one ' +
      '(BACKUP_NOT_CONFIGURED). It needs a recent login (REAUTHENTICATION_REQUIRED otherwise), and is in the audit log.',
    tag: 'Admin',
    auth: 'admin',
    replies: {
      202: {
        description: 'It is begun, or one that was begun like this is not done yet.',
        schema: backupRequest,
        example: { status: 'started' },
      },
    },
    problems: ['BACKUP_NOT_CONFIGURED', 'REAUTHENTICATION_REQUIRED'],
    async handle({ caller, credential }) {
      const confirmLogin = await recentLoginBy(ports, credential);
      return { status: 202, body: { status: await requestBackup(ports, caller.owner_id, confirmLogin) } };
    },
  });
