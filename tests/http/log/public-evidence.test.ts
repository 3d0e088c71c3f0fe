import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Submission } from '../../../domain/decisions/submission/submission.ts';
import type { EvidenceOpening, Opening } from '../../../domain/log/leaves/opening.ts';
import { DAY } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, strangerAt, type TestAgent } from '../../harness/callers.ts';
import { aPastCall, COHORTS_AT } from '../../harness/cohorts.ts';
import { logAll, opened } from '../../harness/logged.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const DAYS = { horizon_kind: 'trading_days', horizon_value: 2 } as const;
const SECONDS = { horizon_kind: 'holding_seconds', horizon_value: 1_036_800, direction: 'bearish' } as const;

describe.each(STORAGES)('where bars may be redistributed, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  let ids: Readonly<Record<'session' | 'seconds' | 'retroactive', string>>;
  beforeAll(async () => {
    const env = { LIMIT_COOLDOWN_SECONDS: '0', MARKET_DATA_REDISTRIBUTE: 'on' };
    service = await openService(storage, { at: new Date(COHORTS_AT.getTime() + 20_500), env });
    agent = await anAgentAt(service);
    const submitted = async (call: Submission): Promise<string> => (await agent.submit(call)).body.record_id;
    ids = {
      session: await submitted(aSubmission(COHORTS_AT, DAYS)),
      seconds: await submitted(aSubmission(COHORTS_AT, SECONDS)),
      retroactive: await submitted(aPastCall(9)),
    };
    await service.settle();
    await service.arrange.advance(15 * DAY);
    await service.settle();
    await logAll(service);
  });
  afterAll(() => service.close());

  const proofOf = async (record_id: string, query: string) => {
    const { status, text } = await strangerAt(service).get(`/api/v1/public/decisions/${record_id}/proof${query}`);
    expect(status).toBe(200);
    return JSON.parse(opened(text)) as Opening & { readonly evidence?: EvidenceOpening };
  };

  test('a public proof of a grade has its evidence on demand', async () => {
    const { evidence } = await proofOf(ids.session, '?leaf=outcome&evidence=true');
    const stored = await service.ports.evidence.findEvidence(ids.session);
    expect(evidence?.document).toBe(stored?.document);
    expect(evidence?.bars.length).toBe(stored?.bars.length);
    expect(await proofOf(ids.session, '?leaf=outcome')).not.toHaveProperty('evidence');
  });

  test('it never has the part of the owner', async () => {
    expect(await proofOf(ids.session, '?leaf=decision&evidence=true')).toEqual(await proofOf(ids.session, ''));
    expect(await proofOf(ids.session, '')).not.toHaveProperty('owner');
  });

  test.each(['seconds', 'retroactive'] as const)(
    'a public proof of a decision of the kind "%s" has none: its times would show the receipt',
    async (kind) => {
      const { document } = (await service.ports.evidence.findEvidence(ids[kind])) ?? {};
      expect(document).toMatch(/:20\.500Z/);
      expect(await proofOf(ids[kind], '?leaf=outcome&evidence=true')).not.toHaveProperty('evidence');
      const own = await agent.get(`/api/v1/agent/decisions/${ids[kind]}/receipt?leaf=outcome&opening=full`);
      expect(JSON.parse(opened(own.text)).evidence.document).toBe(document);
    },
  );
});
