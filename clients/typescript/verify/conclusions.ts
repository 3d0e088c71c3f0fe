import { counted, escaped, type Line, line } from './verdict.ts';

/** What the lines say together about one of the three questions of a reader. */
export interface Conclusion {
  readonly about: 'what' | 'when' | 'all of it';
  readonly verdict: 'proved' | 'not proved' | 'FAILS';
  readonly detail: string;
  /** Nobody shows that there was one tree: an operator can stamp two. */
  readonly byTimestamp?: true;
}

export function conclusionText({ about, verdict, detail, byTimestamp }: Conclusion): string {
  return `${about}: ${verdict}${byTimestamp ? ', by a timestamp alone' : ''}: ${escaped(detail)}`;
}

/** What was said, when, and whether it is all of it, as the lines of some files show. */
export function conclusionsOf(files: readonly (readonly Line[])[]): readonly Conclusion[] {
  return [whatOf(files), whenOf(files), ONE_RECORD];
}

const ONE_RECORD: Conclusion = {
  about: 'all of it',
  verdict: 'not proved',
  detail: 'who shows some records can leave out others; a record-proof of the agent shows all',
};

/** What no file of a log can show, and what these do not. @param files of proofs, or of a whole record */
export function neverProved(files: readonly (readonly Line[])[], isLearnt: boolean): string {
  const lines = files.flat();
  const holds = (subject: string) => lines.some((each) => each.subject === subject && each.verdict === 'holds');
  const parts = [
    ...(holds('witnesses') && !isLearnt ? [] : ['that everybody is shown the same log']),
    ...(lines.some(({ subject }) => subject === 'bars' || subject === 'file')
      ? ['that the prices are the true ones']
      : []),
    'that its author has no other agents or accounts',
  ];
  return `not proved by any of this: ${parts.join('; ')}`;
}

const TIME_LINES = ['witnesses', 'timestamp', 'time'];
const PROVED = ['signature', 'inclusion', 'opening'];

function whatOf(files: readonly (readonly Line[])[]): Conclusion {
  const lines = files.flat().filter(({ subject }) => !TIME_LINES.includes(subject));
  const failed = lines.find(({ verdict }) => verdict === 'FAILS');
  if (failed) return { about: 'what', verdict: 'FAILS', detail: `see ${failed.subject}` };
  const holds = (file: readonly Line[], subject: string) =>
    file.some((each) => each.subject === subject && each.verdict === 'holds');
  const missing = files.flatMap((file) => PROVED.filter((subject) => !holds(file, subject)))[0];
  if (missing === undefined && files.length > 0) {
    const shown = files.flatMap((file) => file.filter(({ subject }) => subject === 'opening'))[0]?.detail ?? '';
    const more = files.length === 1 ? '' : `, and ${files.length - 1} more`;
    return { about: 'what', verdict: 'proved', detail: `${shown}${more}` };
  }
  const open = lines.find(
    ({ subject, verdict }) => verdict === 'not checked' && (subject === missing || subject === 'form'),
  );
  return { about: 'what', verdict: 'not proved', detail: open?.detail ?? `see ${missing ?? 'the files'}` };
}

function whenOf(files: readonly (readonly Line[])[]): Conclusion {
  const about = 'when';
  const lines = files.flat();
  const failed = lines.find(({ subject, verdict }) => TIME_LINES.includes(subject) && verdict === 'FAILS');
  if (failed) return { about, verdict: 'FAILS', detail: `see ${failed.subject}` };
  const times = lines.filter(({ subject }) => subject === 'time');
  const late = times.find(({ verdict }) => verdict === 'late');
  if (late) return { about, verdict: 'not proved', detail: `late: ${late.detail}` };
  const open = times.find(({ verdict }) => verdict !== 'holds');
  if (open) return { about, verdict: 'not proved', detail: open.detail };
  const signed = files.every((file) => file.some((each) => each.subject === 'signature' && each.verdict === 'holds'));
  const [first] = times;
  if (!first) {
    return { about, verdict: 'not proved', detail: 'no file is that of a realtime decision or a plan' };
  }
  if (!signed) return { about, verdict: 'not proved', detail: 'see signature' };
  const byTimestamp = times.some((each) => each.byTimestamp);
  return { about, verdict: 'proved', detail: first.detail, ...(byTimestamp && { byTimestamp }) };
}

/**
 * The same of the lines of an audit, where all of it is that there is one tree.
 * @param known how many leaves an earlier audit read
 */
export function auditConclusions(lines: readonly Line[], known: number): readonly Conclusion[] {
  const find = (...subjects: readonly string[]) => lines.filter(({ subject }) => subjects.includes(subject));
  const what = find('form', 'growth', 'signature', 'leaves', 'rules', 'decisions', 'snapshot');
  const shown = find('decisions')[0]?.detail ?? '';
  return [
    concluded('what', what, shown),
    concluded('when', find('order', 'time'), find('time')[0]?.detail ?? ''),
    oneTree(find('form', 'growth', 'leaves', 'continues'), find('witnesses')[0], known),
  ];
}

/** The same of the file of a whole record, but for whether it is all of it. */
export function recordConclusions(lines: readonly Line[]): readonly Conclusion[] {
  const times = lines.filter(({ subject }) => subject === 'time');
  const content = lines.filter(({ subject }) => !TIME_LINES.includes(subject));
  const when = times.length === 0 ? [line('not checked', 'time', 'nothing of the file counts')] : times;
  const shown = lines.find(({ subject }) => subject === 'opening')?.detail ?? '';
  return [concluded('what', content, shown), concluded('when', when, times[0]?.detail ?? '')];
}

function concluded(about: 'what' | 'when', lines: readonly Line[], proved: string): Conclusion {
  const failed = lines.find(({ verdict }) => verdict === 'FAILS');
  if (failed) return { about, verdict: 'FAILS', detail: `${failed.subject}: ${failed.detail}` };
  if (lines.length === 0) return { about, verdict: 'not proved', detail: 'nothing was read' };
  const open = lines.find(({ verdict }) => verdict !== 'holds');
  if (open) return { about, verdict: 'not proved', detail: `${open.subject}: ${open.detail}` };
  const byTimestamp = lines.some((each) => each.byTimestamp);
  return { about, verdict: 'proved', detail: proved, ...(byTimestamp && { byTimestamp }) };
}

function oneTree(content: readonly Line[], witnesses: Line | undefined, known: number): Conclusion {
  const about = 'all of it';
  const failed = content.find(({ verdict }) => verdict === 'FAILS');
  if (failed) return { about, verdict: 'FAILS', detail: `${failed.subject}: ${failed.detail}` };
  const isRead = content.some(({ subject, verdict }) => subject === 'leaves' && verdict === 'holds');
  const open = content.filter(({ subject, verdict }) => subject === 'continues' && verdict !== 'holds');
  // Who read beyond such a leaf knows what the log had after it.
  const [unknown] = open.filter(({ index = known }) => index >= known);
  if (unknown) return { about, verdict: 'not proved', detail: `continues: ${unknown.detail}` };
  if (isRead && witnesses?.verdict === 'holds' && open.length === 0)
    return { about, verdict: 'proved', detail: `one tree, ${witnesses.detail}` };
  if (isRead && known > 0)
    return {
      about,
      verdict: 'proved',
      detail: `one tree since the ${counted(known, 'leaf', 'leaves')} that an earlier audit read`,
    };
  const detail = 'no quorum of witnesses and no earlier audit shows that there is one tree for everybody';
  return { about, verdict: 'not proved', detail };
}
