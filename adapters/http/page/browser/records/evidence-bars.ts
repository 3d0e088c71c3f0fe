import type { EvidenceDocument } from '../../../../../domain/grading/evidence.ts';
import type { OutcomeOpening } from '../../../../../domain/log/leaves/opening.ts';
import type { Bar } from '../../../../../domain/market/bars.ts';
import { barsOfText, proofOf } from '../kit/domain.ts';

/**
 * The daily bars that ended before a time, oldest first, from the receipt of a grade that contains its evidence: those
 * that the volatility was computed from. None where the receipt has no evidence.
 * @param receipt the text of the receipt, whose proof is not checked here
 * @throws Malformed or TypeError for a text that is no receipt
 */
export function barsBefore(receipt: string, time: number, most: number): readonly Bar[] {
  const { extra } = proofOf(receipt);
  if (extra === null) return [];
  const { evidence } = JSON.parse(new TextDecoder().decode(extra)) as Partial<OutcomeOpening>;
  if (!evidence) return [];
  const document = JSON.parse(evidence.document) as EvidenceDocument;
  // The texts are in the order in which the document names them, each once: first those of the path.
  const names = [...new Set([...document.path.bars, ...document.daily.bars])];
  const daily = document.daily.bars.flatMap((name) => barsOfText(evidence.bars[names.indexOf(name)] ?? ''));
  return daily.filter(({ end }) => end <= time).slice(-most);
}

const LEAST = 20;
const MOST = 60;

/** How many bars are shown before a path: about as many as it has, and not fewer than its volatility came from. */
export function barsOfContext(path: number): number {
  return Math.min(MOST, Math.max(LEAST, path));
}
