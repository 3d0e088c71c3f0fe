import type { KeptReading } from './kept-reading.ts';
import type { Line } from './verdict.ts';

/** The policy of a run, and who says it. */
export interface PolicySource {
  /** The text of a tlog-policy; null for none. */
  readonly text: string | null;
  /** Taken from the log that is verified, now or at an earlier run. */
  readonly isLearnt: boolean;
}

/**
 * The policy that the reader gives, else the one that was learnt from the log at first, else that of the log now.
 * @param learn reads the policy that the log states; null for none
 */
export async function policyFor(
  given: string | null,
  { pinned }: Pick<KeptReading, 'pinned'>,
  learn: () => Promise<Uint8Array | null>,
): Promise<PolicySource> {
  if (given !== null) return { text: given, isLearnt: false };
  if (pinned !== null) return { text: pinned, isLearnt: true };
  const learnt = await learn();
  return learnt ? { text: new TextDecoder().decode(learnt), isLearnt: true } : { text: null, isLearnt: false };
}

/** The lines, of which those by learnt keys say so. */
export function withSource(lines: readonly Line[], { isLearnt }: PolicySource): readonly Line[] {
  if (!isLearnt) return lines;
  return lines.map((each) => {
    const isByKey = each.verdict === 'holds' && ['signature', 'witnesses'].includes(each.subject);
    return isByKey ? { ...each, detail: `${each.detail}; by keys of the log itself, not confirmed by anybody` } : each;
  });
}

/** The lines, of which those that are required and not checked fail. */
export function withRequired(lines: readonly Line[], required: readonly string[]): readonly Line[] {
  return lines.map((each) =>
    each.verdict === 'not checked' && required.includes(each.subject)
      ? { ...each, verdict: 'FAILS', detail: `required and not checked: ${each.detail}` }
      : each,
  );
}
