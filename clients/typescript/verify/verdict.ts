/** What was found out about one claim. */
export interface Line {
  /** `late`: there is a proof of the time, and it is later than the log promises. */
  readonly verdict: 'holds' | 'FAILS' | 'not checked' | 'late';
  readonly subject: string;
  readonly detail: string;
  /** Of a line `time` that holds: no quorum of witnesses says so. */
  readonly byTimestamp?: true;
  /** Of a line `continues`: that of its leaf. */
  readonly index?: number;
}

export function line(verdict: Line['verdict'], subject: string, detail: string): Line {
  return { verdict, subject, detail };
}

/** The line of a claim that was checked, with the detail for what was found. */
export function checked(holds: boolean, subject: string, held: string, failed: string): Line {
  return holds ? line('holds', subject, held) : line('FAILS', subject, failed);
}

/** The line as a text of columns; what a file could use to imitate other lines is escaped. */
export function textOf({ verdict, subject, detail }: Line): string {
  return `${verdict.padEnd(12)}${subject.padEnd(18)}${escaped(detail)}`;
}

export function escaped(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}

/** A number with its noun: `1 fault`, `2 faults`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** The lines, of which those by learnt keys say so. */
export function withSource(lines: readonly Line[], { isLearnt }: { readonly isLearnt: boolean }): readonly Line[] {
  if (!isLearnt) return lines;
  return lines.map((each) => {
    const isByKey = each.verdict === 'holds' && ['signature', 'witnesses', 'continues'].includes(each.subject);
    return isByKey ? { ...each, detail: `${each.detail}; by keys of the log itself, not confirmed by anybody` } : each;
  });
}

/** The lines, of which those that are required and not checked, or late, fail. */
export function withRequired(lines: readonly Line[], required: readonly string[]): readonly Line[] {
  return lines.map((each) =>
    (each.verdict === 'not checked' || each.verdict === 'late') && required.includes(each.subject)
      ? { ...each, verdict: 'FAILS', detail: `required and ${each.verdict}: ${each.detail}` }
      : each,
  );
}

/** Late decisions that an earlier audit read were reported then. */
export function withoutLate(lines: readonly Line[], required: readonly string[]): readonly string[] {
  const isLate = lines.some(({ subject, verdict }) => subject === 'time' && verdict === 'late');
  return isLate ? required.filter((subject) => subject !== 'time') : required;
}
