import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import type { DecisionDraft, Verdict } from '../../../domain/decisions/submission/decision-intake.ts';
import type { Receipt } from '../../../domain/decisions/submission/receipt.ts';
import type { Submission } from '../../../domain/decisions/submission/submission.ts';
import { groupId } from '../../../domain/identifiers.ts';
import {
  type AgentCaller,
  aDraft,
  anAgent,
  aSubmission,
  type DraftOptions,
  hindsight,
  NO_LIMITS,
  receiptOf,
} from '../../builders/decisions.ts';
import type { Arrange, DecisionAdapter, OpenedDecisions } from './adapters.ts';

/** A suite of promises about decisions, for any adapter. */
export interface DecisionContract {
  readonly name: string;
  readonly promises: (bench: Bench) => void;
}

export type Change = Partial<Submission>;

/** One storage for a suite, and short words for what its tests do. */
export interface Bench {
  storage(): OpenedDecisions['storage'];
  operators(): OpenedDecisions['operators'];
  arrange(): Arrange;
  /** How many of so many queries or rounds this storage runs: its adapter's share of them, at least one. */
  runs(count: number): number;
  /** Whether it runs a share of them alone: then what only takes many records is left to the other storages. */
  readonly isSampled: boolean;
  now(): Promise<Date>;
  agent(mate?: AgentCaller): Promise<AgentCaller>;
  /** By the clock as it is. */
  draft(agent: AgentCaller, changes?: Change, options?: DraftOptions): Promise<DecisionDraft>;
  /** The same with data of long ago. */
  hindsight(agent: AgentCaller, changes?: Change, options?: DraftOptions): Promise<DecisionDraft>;
  submit(agent: AgentCaller, changes?: Change, options?: DraftOptions): Promise<Verdict>;
  /** A record that no limit holds back. */
  accepted(agent: AgentCaller, changes?: Change): Promise<Receipt>;
  /** The records of a decision group with these horizon values, that no limit holds back; in the order of the horizons. */
  group(
    agent: AgentCaller,
    changes: Change,
    values: readonly number[],
    options?: DraftOptions,
  ): Promise<readonly Receipt[]>;
}

export function benchOn(adapter: DecisionAdapter): Bench {
  let opened: OpenedDecisions | undefined;
  beforeAll(async () => {
    opened = await adapter.open();
  });
  afterAll(() => opened?.close());
  const at = (): OpenedDecisions => {
    if (!opened) throw new Error('The storage is opened before the first test.');
    return opened;
  };
  const now = () => at().storage.clock.now();
  const draft: Bench['draft'] = async (agent, changes, options) => {
    const time = await now();
    return aDraft(agent, time, aSubmission(time, changes), options);
  };
  const submit: Bench['submit'] = async (agent, changes, options) =>
    at().storage.intake.submit(await draft(agent, changes, options));
  return {
    storage: () => at().storage,
    operators: () => at().operators,
    arrange: () => at().arrange,
    runs: (count) => Math.ceil(count * (adapter.share ?? 1)),
    isSampled: adapter.share !== undefined,
    now,
    agent: (mate) => anAgent(at().storage, mate),
    draft,
    async hindsight(agent, changes, options) {
      const time = await now();
      return aDraft(agent, time, hindsight(time, changes), options);
    },
    submit,
    accepted: async (agent, changes) => receiptOf(await submit(agent, changes, { limits: NO_LIMITS })),
    async group(agent, changes, values, options = { limits: NO_LIMITS }) {
      const id = groupId(randomBytes(12));
      const place = (n: number) => ({ id, of: values.length, place: n + 1 });
      const drafts = await Promise.all(
        values.map(async (horizon_value, n) => ({
          ...(await draft(agent, { ...changes, horizon_value }, options)),
          group: place(n),
        })),
      );
      const [first, ...others] = drafts;
      if (!first) throw new Error('A group has horizons.');
      const verdict = await at().storage.intake.submit(first, others);
      return [receiptOf(verdict), ...(('others' in verdict && verdict.others) || [])];
    },
  };
}
