import type { VerifiedRecord } from '../../../../../clients/typescript/verify/record-proof.ts';
import type { Line } from '../../../../../clients/typescript/verify/verdict.ts';
import { button, type Child, fill, h } from './elements.ts';
import { paced } from './pace.ts';
import { RefusedRequest, refusalOf } from './refused-request.ts';
import { refusedState } from './refused-state.ts';
import { verdictOf } from './value-texts.ts';

/** Served next to the page: the same file that Node.js runs. */
const VERIFIER: string = '/clients/verify.mjs';

export interface ProofFile {
  /** Of the file that a reader keeps. */
  readonly name: string;
  readonly words: string;
  readonly path: string;
}

interface Proof {
  /** What the log contains, and what the files show. */
  readonly about: string;
  readonly files: readonly ProofFile[];
  readonly signal: AbortSignal;
  /** What the badge says before anything is verified. */
  readonly stated?: Child;
}

const POLICY: ProofFile = { name: 'policy', words: 'the policy with the keys of the log', path: '/log/policy' };

/** Parts of a page about files that prove what it shows. */
interface ProofParts {
  /** For the top of the page: verifies at a click, and says in a sentence what was found. */
  readonly badge: HTMLElement;
  /** Receipts or proofs: to keep, and to verify here with the verifier that is served, line by line. */
  readonly section: HTMLElement;
}

export function proofParts({ about, files, signal, stated }: Proof): ProofParts {
  const box = h('div', { class: 'verified-here', 'aria-live': 'polite' });
  const found = h('div', { role: 'status' });
  const heading = h('h2', { tabindex: -1 }, 'Proof');
  const badge = h('div', { class: 'badge' }, stated, found);
  const verify = async (attempt = 0): Promise<void> => {
    fill(box, h('p', { class: 'soft' }, 'Verifying\u2026'));
    fill(found, h('p', { class: 'soft' }, 'Verifying\u2026'));
    try {
      const verifier = await loadVerifier();
      const [policy, ...proofs] = await Promise.all([POLICY, ...files].map((file) => readText(file, signal)));
      const verified = await verifyTogether(verifier, proofs, policy && { text: policy.text, isLearnt: true });
      fill(box, h('p', { class: 'verify-status' }, provedWords(verified)), ...verifiedParts(verified));
      fill(found, ...badgeParts(verified, heading));
      badge.dataset.verdict = verdictOf(verified);
    } catch (error) {
      if (signal.aborted) return;
      delete badge.dataset.verdict;
      fill(box, refusedState(error, 'Could not verify.', { retry: verify, attempt, signal }));
      fill(found, h('p', {}, 'Could not verify: the part Proof below says why.'));
    }
  };
  found.before(button('Verify this record', () => verify()));
  const section = h(
    'section',
    { class: 'facts proof' },
    heading,
    h('p', { class: 'soft' }, about),
    h(
      'ul',
      { class: 'files' },
      ...[...files, POLICY].map(({ path, name, words }) => h('li', {}, h('a', { href: path, download: name }, words))),
    ),
    h(
      'p',
      { class: 'verify-buttons' },
      button('Verify here', () => verify()),
      h('a', { href: '/verify' }, 'Verify files offline'),
    ),
    box,
  );
  return { badge, section };
}

function provedWords({ files }: Verified): string {
  const proved = files.filter((file) => file.proved).length;
  return `${proved} of ${files.length} proved by the keys that this service shows.`;
}

const BY_KEYS = ', by the keys that this service shows, which nobody else confirms.';

const BADGES: Readonly<Record<Line['verdict'], readonly [words: string, end: string]>> = {
  holds: ['Verified', BY_KEYS],
  late: ['Late', BY_KEYS],
  'not checked': ['Not proved', BY_KEYS],
  FAILS: ['It FAILS', ': what is shown here is not what its files prove. The lines say where.'],
};

function badgeParts(verified: Verified, heading: HTMLElement): readonly HTMLElement[] {
  const [words, end] = BADGES[verdictOf(verified)];
  const toLines = button('What was checked', () => {
    heading.scrollIntoView();
    heading.focus({ preventScroll: true });
  });
  return [h('p', {}, h('b', {}, words), end), ...sentenceParts(verified), toLines];
}

/** A text of the service; null where it has none. @throws RefusedRequest */
export async function textAt(path: string, signal: AbortSignal): Promise<string | null> {
  try {
    return (await readText({ name: '', words: '', path }, signal)).text;
  } catch (error) {
    if (error instanceof RefusedRequest && error.status === 404) return null;
    throw error;
  }
}

/** @throws RefusedRequest with the message of the service */
async function readText({ name, path }: ProofFile, signal: AbortSignal): Promise<NamedText> {
  const response = await paced(path, () => fetch(path, { signal })).catch(() => {
    signal.throwIfAborted();
    throw unreachable();
  });
  if (!response.ok) throw await refusalOf(response, 'GET');
  return { name, text: await response.text() };
}

type Verifier = Pick<
  typeof import('../../../../../clients/typescript/verify/verify-file.ts'),
  'isProved' | 'verifyProof'
> &
  Pick<
    typeof import('../../../../../clients/typescript/verify/conclusions.ts'),
    'conclusionsOf' | 'conclusionText' | 'neverProved' | 'recordConclusions'
  > &
  Pick<typeof import('../../../../../clients/typescript/verify/sentences.ts'), 'sentencesOf'> &
  Pick<typeof import('../../../../../clients/typescript/verify/record-counts.ts'), 'gradedParts'> &
  Pick<typeof import('../../../../../clients/typescript/verify/timestamps.ts'), 'stampFiles'> &
  Pick<typeof import('../../../../../clients/typescript/verify/record-proof.ts'), 'verifyRecord'>;

export function loadVerifier(): Promise<Verifier> {
  return import(VERIFIER);
}

export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** A tlog-policy, and who says it. */
export interface GivenPolicy {
  readonly text: string;
  /** It is that of the service whose log it is. */
  readonly isLearnt: boolean;
}

interface VerifiedFile {
  readonly name: string;
  readonly lines: readonly Line[];
  readonly proved: boolean;
  /** Of a whole record. */
  readonly record?: VerifiedRecord;
}

/** What the verifier says of some files together. */
export interface Verified {
  readonly files: readonly VerifiedFile[];
  /** One for each record, in plain words. */
  readonly sentences: readonly string[];
  /** What is proved by all proofs together, and what is not. */
  readonly conclusions: readonly { readonly verdict: string; readonly text: string }[];
}

/** An outcome is compared with its decision among the files. @param policy null for none */
export async function verifyTogether(
  verifier: Verifier,
  texts: readonly NamedText[],
  policy: GivenPolicy | null = null,
): Promise<Verified> {
  const { verifyProof, verifyRecord, sentencesOf, isProved } = verifier;
  const proofs = texts.filter((each) => !isRecord(each));
  const all = proofs.map(({ text }) => text);
  const { text: key = null, isLearnt = false } = policy ?? {};
  const verified = await Promise.all(
    proofs.map(async ({ name, text }) => ({ name, ...(await verifyProof(text, key, all)) })),
  );
  const records = await Promise.all(
    texts.filter(isRecord).map(async ({ name, text }) => {
      const record = await verifyRecord(text, key, { served: null, stamps: null, isLearnt });
      return { name, record, lines: record.lines, proved: record.whole.startsWith('proved') };
    }),
  );
  const files = [...verified.map(({ name, lines }) => ({ name, lines, proved: isProved(lines) })), ...records];
  const sentences = sentencesOf(verified, { isLearnt, stateOf: () => null });
  return {
    files,
    sentences: [...sentences, ...records.map(({ record }) => record.sentence)],
    conclusions: conclusionsOf(verifier, files, isLearnt),
  };
}

/** The first line of the file of a whole record says that it is one. */
function isRecord({ text }: NamedText): boolean {
  try {
    return JSON.parse(text.slice(0, text.indexOf('\n'))).type === 'record';
  } catch {
    return false;
  }
}

function conclusionsOf(verifier: Verifier, files: readonly VerifiedFile[], isLearnt: boolean): Verified['conclusions'] {
  if (files.length === 0) return [];
  const proofs = files.filter(({ record }) => record === undefined).map(({ lines }) => lines);
  const never = verifier.neverProved(
    files.map(({ lines }) => lines),
    isLearnt,
  );
  const ofProofs = proofs.length === 0 ? [] : verifier.conclusionsOf(proofs);
  return [
    ...ofProofs.map((each) => ({ verdict: each.verdict, text: verifier.conclusionText(each) })),
    ...files.flatMap(({ lines, record }) => (record ? recordConclusions(verifier, lines, record) : [])),
    { verdict: 'not proved', text: never },
  ];
}

function recordConclusions(
  { recordConclusions: concluded, conclusionText }: Verifier,
  lines: readonly Line[],
  { whole }: VerifiedRecord,
): Verified['conclusions'] {
  return [
    ...concluded(lines).map((each) => ({ verdict: each.verdict, text: conclusionText(each) })),
    { verdict: whole.split(':')[0] ?? '', text: `all of it: ${whole}` },
  ];
}

/** What was found, in the order in which a reader asks: in plain words, line by line, and what is proved. */
function verifiedParts(verified: Verified): readonly HTMLElement[] {
  return [...sentenceParts(verified), ...verified.files.map(verifiedFile), conclusionList(verified)];
}

export function sentenceParts({ sentences }: Verified): readonly HTMLElement[] {
  return sentences.map((each) => h('p', { class: 'sentence' }, each));
}

export function conclusionList({ conclusions }: Verified): HTMLElement {
  return h(
    'ul',
    { class: 'conclusions' },
    ...conclusions.map(({ verdict, text }) => h('li', { 'data-verdict': verdict }, text)),
  );
}

/** How to verify the timestamps of proofs, which a browser does not; nothing where there are none. */
export function stampCommands(
  { stampFiles }: Pick<Verifier, 'stampFiles'>,
  proofs: readonly NamedText[],
): readonly HTMLElement[] {
  const commands = proofs.flatMap(({ text }) => commandsOf(stampFiles, text));
  if (commands.length === 0) return [];
  const write = 'node verify.mjs FILE --tsa CA.pem checks their timestamps, and --write-timestamps . writes them for:';
  return [h('p', { class: 'soft' }, write), h('pre', {}, [...new Set(commands)].join('\n'))];
}

/** None of a text that is no proof: its lines say so. */
function commandsOf(stampFiles: Verifier['stampFiles'], text: string): readonly string[] {
  try {
    return stampFiles([text], '.').commands;
  } catch {
    return [];
  }
}

export function verifiedFile({ name, lines, proved }: VerifiedFile): HTMLElement {
  return h(
    'section',
    { class: 'verified' },
    h('h2', {}, name, ': ', proved ? 'proved' : 'not proved'),
    h('ul', {}, ...lines.map(lineOf)),
  );
}

function lineOf({ verdict, subject, detail }: Line): HTMLElement {
  return h(
    'li',
    { 'data-verdict': verdict },
    h('b', {}, verdict),
    h('span', { class: 'subject' }, subject),
    h('span', {}, detail),
  );
}

/** The refusal of a request that nobody answered: what the reader can do depends on the device. */
export function unreachable(): RefusedRequest {
  return new RefusedRequest({
    status: 0,
    message: navigator.onLine ? 'The service does not answer.' : 'This device is offline.',
    suggestion: navigator.onLine ? 'Try again in a moment.' : 'Connect it, then try again.',
  });
}
