import { base64Of, bytesOfBase64, hashOfBase64, numberOfDecimal } from '../encoding.ts';
import { Malformed } from '../malformed.ts';

/** A proof file: that the leaf `index` is in the tree of a checkpoint (tlog-proof, "Format"). */
export interface LogProof {
  /** What the reader needs to compute the leaf; it is not authenticated by itself. Null without. */
  readonly extra: Uint8Array | null;
  readonly index: number;
  /** From the leaf's sibling up to the root's child. */
  readonly hashes: readonly Uint8Array[];
  /** The signed note, as the log served it. */
  readonly checkpoint: string;
}

const FIRST_LINE = 'c2sp.org/tlog-proof@v1';
/** A tree has no more levels than these: tlog-witness has the same limit. */
const MOST_HASHES = 63;

export function proofText({ extra, index, hashes, checkpoint }: LogProof): string {
  const extraLines = extra === null ? [] : [`extra ${base64Of(extra)}`];
  return [FIRST_LINE, ...extraLines, `index ${index}`, ...hashes.map(base64Of), '', checkpoint].join('\n');
}

/** The proof of a file, without any check of its hashes and signatures. @throws Malformed */
export function proofOf(text: string): LogProof {
  const end = text.indexOf('\n\n');
  const [first, ...lines] = text.slice(0, Math.max(end, 0)).split('\n');
  if (first !== FIRST_LINE)
    throw new Malformed(`The proof does not start with the line ${FIRST_LINE}, or has no empty line.`);
  const extra = lines[0]?.startsWith('extra ') ? lines.shift()?.slice('extra '.length) : undefined;
  const index = /^index (.+)$/.exec(lines.shift() ?? '')?.[1];
  if (index === undefined || extra === '')
    throw new Malformed('The proof has no index, or an extra line without data.');
  if (lines.length > MOST_HASHES)
    throw new Malformed(`The proof has ${lines.length} hashes; at most ${MOST_HASHES} are possible.`);
  return {
    extra: extra === undefined ? null : bytesOfBase64(extra),
    index: numberOfDecimal(index),
    hashes: lines.map(hashOfBase64),
    checkpoint: text.slice(end + 2),
  };
}
