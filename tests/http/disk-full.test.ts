import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { endpointsOf } from '../../adapters/http/routes/endpoints.ts';
import type { Ports } from '../../application/ports.ts';
import { diskFull } from '../../domain/disk-space.ts';
import { anAgentAt } from '../harness/callers.ts';
import { aPastCall, COHORTS_AT } from '../harness/cohorts.ts';
import { openService, STORAGES, type TestService } from '../harness/service.ts';
import { anOwnerLoggedIn, logIn, NO_RATE_LIMITS, OWN_PAGE, PASSWORD } from '../harness/sessions.ts';

/** What adds to the stored data without a small bound. */
const GROWS = [
  ...['quickSetup', 'registerOwner', 'startDeviceSignIn', 'pollDeviceSignIn', 'createKey'],
  ...['submitDecision', 'submitDecisionGroup', 'statePlan', 'addNote', 'sendBacktestRows', 'addBacktestNote'],
  ...['createWorkflow', 'importWorkflow', 'updateWorkflow', 'forkWorkflow', 'publishWorkflow'],
  ...['createWebhook', 'testWebhook', 'resendWebhookDelivery', 'resendFailedDeliveries'],
];

/** Logins and proofs, what removes, lowers or replaces, one row that is there, and the acts of operators. */
const GOES_ON = [
  ...['logIn', 'beginPasskeyLogin', 'logInByPasskey', 'endProviderSessions', 'logOut', 'reauthenticate'],
  ...['requestPasswordReset', 'confirmPasswordReset', 'confirmEmail', 'requestEmailConfirmation', 'changePassword'],
  ...['beginTotp', 'confirmTotp', 'removeTotp', 'renewRecoveryCodes', 'cancelFactorReset'],
  ...['beginPasskey', 'addPasskey', 'renamePasskey', 'removePasskey', 'endSession', 'endOtherSessions'],
  ...['updateKey', 'revokeKey', 'rotateKey', 'archiveAgent', 'restoreAgent', 'removeAgent'],
  ...[
    'readDecisionBatch',
    'revokeDecision',
    'emptyNote',
    'removeBacktest',
    'deleteWorkflow',
    'acceptLegal',
    'setPreferences',
    'markRead',
  ],
  ...['changeWebhook', 'removeWebhook', 'rotateWebhookSecret', 'scheduleErasure', 'takeBackErasure'],
  ...[
    'quarantineDecision',
    'releaseDecision',
    'refreshInstrument',
    'probeSources',
    'requestBackup',
    'tripCircuit',
    'resolveCircuit',
  ],
  ...['suspendAccount', 'resumeAccount', 'setTier'],
];

describe.each(STORAGES)('a service whose disk is nearly full, on %s', (storage) => {
  let service: TestService;
  let isFull = false;
  /** The SQLSTATE by which the database refuses a submission. */
  let fails: string | null = null;
  const noted: unknown[] = [];
  const disk = { refusal: () => (isFull ? diskFull() : null), note: (fault: unknown) => void noted.push(fault) };
  beforeAll(async () => {
    service = await openService(storage, { at: COHORTS_AT, env: NO_RATE_LIMITS, disk, ports: failing });
  });
  afterEach(() => {
    isFull = false;
    fails = null;
  });
  afterAll(() => service.close());

  const failing = ({ intake }: Ports): Partial<Ports> => ({
    intake: {
      ...intake,
      submit: (draft) =>
        fails === null ? intake.submit(draft) : Promise.reject(Object.assign(new Error('planted'), { code: fails })),
    },
  });

  test('each operation that changes something either waits for room or goes on', () => {
    const changing = endpointsOf(service.ports).filter(({ method }) => method !== 'GET');
    const ids = (grows: boolean) => changing.filter((each) => (each.grows ?? false) === grows).map(({ id }) => id);
    expect(ids(true).toSorted()).toEqual(GROWS.toSorted());
    expect(ids(false).toSorted()).toEqual(GOES_ON.toSorted());
    expect(endpointsOf(service.ports).filter(({ method, grows }) => method === 'GET' && grows)).toEqual([]);
  });

  test('refuses submissions and other new records with what to do, and takes them as soon as there is room', async () => {
    const owner = await anOwnerLoggedIn(service);
    const agent = await anAgentAt(service, { mate: owner });
    const headers = { cookie: owner.cookie, ...OWN_PAGE };
    const workflow = { name: 'A draft', nodes: [], edges: [] };
    const create = () => request(service.app).post('/api/v1/owner/workflows').set(headers).send(workflow);
    const account = { email: `x${owner.email}`, password: PASSWORD };
    const register = () => request(service.app).post('/api/v1/public/auth/register').send(account);
    isFull = true;
    const refused = [
      await agent.submit(aPastCall(9), { 'Idempotency-Key': 'one' }),
      await agent.preview(aPastCall(9)),
      await create(),
      await register(),
    ];
    for (const { status, body, headers } of refused) {
      expect([status, body.error.code, headers['retry-after']]).toEqual([503, 'SERVICE_UNAVAILABLE', '30']);
      expect(body.error.suggestion).toContain('frees space');
    }
    isFull = false;
    const accepted = await agent.submit(aPastCall(9), { 'Idempotency-Key': 'one' });
    expect([accepted.status, accepted.headers['idempotency-replayed']]).toEqual([201, undefined]);
    expect([(await create()).status, (await register()).status]).toEqual([201, 201]);
  });

  test('says nothing of its disk to a caller who may not submit at all', async () => {
    isFull = true;
    const { status } = await request(service.app).post('/api/v1/agent/decisions').send(aPastCall(9));
    expect(status).toBe(401);
  });

  test('goes on with logins, reads, revocations and exports', async () => {
    const owner = await anOwnerLoggedIn(service);
    const agent = await anAgentAt(service, { mate: owner });
    const { record_id } = (await agent.submit(aPastCall(9))).body;
    await service.arrange.advance(1_000);
    isFull = true;
    expect((await logIn(service, owner.email)).status).toBe(200);
    expect((await agent.read(record_id)).status).toBe(200);
    expect((await agent.batch([record_id])).status).toBe(200);
    const exported = await request(service.app).get('/api/v1/owner/export').set({ cookie: owner.cookie });
    expect([exported.status, exported.text.includes(record_id)]).toEqual([200, true]);
    const revoked = await request(service.app)
      .delete(`/api/v1/owner/auth/api-keys/${agent.key_prefix}`)
      .set({ cookie: owner.cookie, ...OWN_PAGE });
    expect(revoked.status).toBe(204);
  });

  test('answers what the database says of a full disk with the same sentence, and takes notice', async () => {
    const agent = await anAgentAt(service);
    fails = '53100';
    const { status, body } = await agent.submit(aPastCall(9));
    expect([status, body.error.code, body.error.suggestion]).toEqual([
      503,
      'SERVICE_UNAVAILABLE',
      diskFull().suggestion,
    ]);
    expect(noted).toMatchObject([{ code: '53100' }]);
  });
});
