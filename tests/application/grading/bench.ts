import type { Ports } from '../../../application/ports.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import type { Job } from '../../../domain/jobs.ts';
import { CONTRACT_LIMITS } from '../../../domain/limits.ts';
import type { MarketData } from '../../../domain/market/market-data.ts';
import {
  type AgentCaller,
  aDraft,
  anAgent,
  aSubmission,
  type DraftOptions,
  NO_LIMITS,
  receiptOf,
} from '../../builders/decisions.ts';
import { type MadePrices, madePrices } from '../../builders/prices.ts';
import { type Arrange, type OpenedDecisions, onMemory } from '../../contracts/decisions/adapters.ts';
import type { Change } from '../../contracts/decisions/bench.ts';
import { evaluationPorts } from '../../harness/evaluation-ports.ts';

/** The sweeps' ports, and short functions for what their tests do. */
export interface SweepBench {
  readonly ports: Ports;
  readonly arrange: Arrange;
  readonly agent: AgentCaller;
  /** The faults that were reported to the operators, and their subjects. */
  readonly reported: { readonly fault: unknown; readonly about: object }[];
  /** A new record, not verified yet. */
  submit(changes?: Change, options?: DraftOptions): Promise<string>;
  read(record_id: string): Promise<Decision>;
}

/** In memory, with generated prices, the clock stopped at noon. */
export async function memoryBench(...symbols: readonly string[]) {
  const opened = await onMemory();
  const prices: MadePrices = madePrices(...symbols);
  const dueJobs = (): Promise<readonly Job[]> => opened.storage.takeDueJobs();
  return { ...(await sweepBench(opened, prices)), prices, dueJobs };
}

export async function sweepBench({ storage, arrange }: OpenedDecisions, marketData: MarketData): Promise<SweepBench> {
  const agent = await anAgent(storage);
  const reported: { fault: unknown; about: object }[] = [];
  const ports = evaluationPorts(storage, marketData, {
    limits: { ...CONTRACT_LIMITS, ...NO_LIMITS },
    report: (fault, about) => void reported.push({ fault, about }),
  });
  return {
    ports,
    arrange,
    agent,
    reported,
    async submit(changes, options) {
      const now = await storage.clock.now();
      const draft = aDraft(agent, now, aSubmission(now, changes), { limits: NO_LIMITS, ...options });
      return receiptOf(await storage.intake.submit(draft)).record_id;
    },
    async read(record_id) {
      const [decision] = await storage.decisions.find([record_id], agent.owner_id);
      if (!decision) throw new Error(`There is no record ${record_id}`);
      return decision;
    },
  };
}
