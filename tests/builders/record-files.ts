import { sha256 } from '../../application/sha256.ts';
import type { ReadServed } from '../../clients/typescript/verify/read-log.ts';
import { base64Of, utf8 } from '../../domain/log/encoding.ts';
import { type ClosingReason, type LogLeaf, leafBytes, numberedProducer } from '../../domain/log/leaves/leaf.ts';
import { inclusionPath, proofHashes } from '../../domain/log/tree/proof.ts';
import { entryBundle } from '../../domain/log/tree/tile.ts';
import { aTree } from './log.ts';
import { aNumberedOpening, anOutcomeOpening, OWNER, STATED } from './log-openings.ts';
import { aCheckpoint, LOG, SEEN } from './proof-files.ts';

const AGENT_SALT = 'cd'.repeat(32);

/** What became of a decision of a record. */
export interface RecordedFate {
  readonly graded?: true;
  /** Another horizon of the decision leads. */
  readonly further?: true;
  /** Of what its grade says. */
  readonly changes?: object;
  readonly closed?: ClosingReason;
  /** When the witness saw its receipt, in POSIX seconds. */
  readonly seen?: number;
  /** Leaves of the checkpoint of its receipt; all by default. */
  readonly receiptOf?: number;
  /** Who signed its receipt. */
  readonly log?: typeof LOG;
}

/** The whole record of an agent with one realtime decision for each fate, and the log that has it. */
export async function aRecordFile(fates: readonly RecordedFate[]) {
  const openings = fates.map(({ further }, n) =>
    aNumberedOpening(n + 1, AGENT_SALT, { ...STATED, group_place: further ? 2 : null }),
  );
  const outcomes = fates.map(({ graded, changes }, n) => (graded ? anOutcomeOpening(n + 1, changes) : null));
  const leaves: LogLeaf[] = [
    { t: 'log', last: null, v: 1 },
    ...openings.map(({ leaf }) => leaf),
    ...outcomes.flatMap((each) => each?.leaf ?? []),
    ...fates.flatMap(({ closed: reason }, n) =>
      reason ? [{ t: 'closed' as const, of: n + 1, reason, v: 1 as const }] : [],
    ),
  ];
  const bytes = leaves.map(leafBytes);
  const tree = aTree(bytes);
  const pathOf = (index: number) => proofHashes(inclusionPath(index, tree.size), tree.hashOf, sha256).map(base64Of);
  const checkpoint = await aCheckpoint(tree.size, tree.root);
  const lines = await Promise.all(
    openings.map(async ({ leaf, commitment, public_salt, public_statement, owner }, n) => {
      const { seen = SEEN, receiptOf = tree.size, log = LOG } = fates[n] ?? {};
      const note = await aCheckpoint(receiptOf, aTree(bytes.slice(0, receiptOf)).root, seen, log);
      const outcome = outcomes[n];
      const { number = 0, next_mark = '' } = owner ?? {};
      const placed = (of: number, other: LogLeaf) => ({ index: of, leaf: other, path: pathOf(of), note });
      const at = outcome ? leaves.indexOf(outcome.leaf) : 0;
      return {
        ...{ type: 'decision', ...placed(n + 1, leaf), commitment, public_salt, public_statement },
        producer: numberedProducer({ ...OWNER, number, next_mark }, sha256),
        ...(outcome && {
          outcome: {
            ...placed(at, outcome.leaf),
            ...{ outcome_salt: outcome.outcome_salt, public_outcome: outcome.public_outcome },
          },
        }),
      };
    }),
  );
  const head = { type: 'record', v: 1, agent_id: OWNER.agent_id, checkpoint };
  const end = { type: 'complete', decisions: fates.length, imported: 0, earlier: false };
  const served: ReadServed = async (path) => (path === 'checkpoint' ? utf8(checkpoint) : entryBundle(bytes));
  return { text: [head, ...lines, end].map((each) => `${JSON.stringify(each)}\n`).join(''), served };
}
