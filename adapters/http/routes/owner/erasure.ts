import {
  readErasure,
  type ScheduledErasure,
  scheduleErasure,
  takeBackErasure,
} from '../../../../application/accounts/erasure/manage-erasure.ts';
import { recentLoginBy } from '../../../../application/accounts/sign-in/recent-login.ts';
import type { Ports } from '../../../../application/ports.ts';
import { ERASURE } from '../../../../domain/limits.ts';
import { DAY } from '../../../../domain/time.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { EXPORT_PATH, scheduledErasure, scheduledErasureExample, takenBack } from '../../shapes/accounts/erasure.ts';

const tag = 'Accounts';
const auth = ['owner_bearer', 'legacy_session'] as const;
const path = '/api/v1/owner/erasure';
const DAYS = `${ERASURE.grace / DAY} days`;

export function scheduleErasureEndpoint(ports: Pick<Ports, 'transaction' | 'identityProvider' | 'clock' | 'settings'>) {
  return endpoint({
    id: 'scheduleErasure',
    method: 'POST',
    path,
    summary: 'Erase your account',
    description:
      `After ${DAYS}, in which you can take it back, the account and what you wrote are erased for good. Your API keys stop ` +
      `at once; you can still log in. Export your data first: GET ${EXPORT_PATH}. Public parts of decisions and their proofs ` +
      'stay. It needs a recent login: otherwise the reply is REAUTHENTICATION_REQUIRED. A second request changes nothing.',
    tag,
    auth,
    replies: {
      202: { description: 'It is scheduled.', schema: scheduledErasure, example: scheduledErasureExample },
    },
    problems: ['REAUTHENTICATION_REQUIRED'],
    async handle({ caller, credential, source }) {
      const confirmLogin = await recentLoginBy(ports, credential);
      return { status: 202, body: shown(await scheduleErasure(ports, caller.owner_id, confirmLogin, source)) };
    },
  });
}

export function readErasureEndpoint(ports: Pick<Ports, 'owners'>) {
  return endpoint({
    id: 'readErasure',
    method: 'GET',
    path,
    summary: 'Read when your account will be erased',
    description: 'The times are `null` while nothing is scheduled.',
    tag,
    auth,
    replies: {
      200: { description: 'What is scheduled.', schema: scheduledErasure, example: scheduledErasureExample },
    },
    problems: [],
    async handle({ caller }) {
      return { status: 200, body: shown(await readErasure(ports, caller.owner_id)) };
    },
  });
}

export function takeBackErasureEndpoint(ports: Pick<Ports, 'transaction'>) {
  return endpoint({
    id: 'takeBackErasure',
    method: 'DELETE',
    path,
    summary: 'Keep your account',
    description:
      'Takes the erasure back. The keys that it stopped work again, unless the operator has suspended the account.',
    tag,
    auth,
    replies: {
      200: { description: 'The account stays.', schema: takenBack, example: { keys_restored: ['sbk_3kTzP9q1'] } },
    },
    problems: ['NOT_FOUND'],
    async handle({ caller, source }) {
      return { status: 200, body: { keys_restored: await takeBackErasure(ports, caller.owner_id, source) } };
    },
  });
}

function shown(scheduled: ScheduledErasure) {
  return { ...scheduled, export_path: EXPORT_PATH };
}
