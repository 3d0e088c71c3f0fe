import type { Line } from '../../../../../clients/typescript/verify/verdict.ts';
import { button, fill, h } from './elements.ts';
import { RefusedRequest, refusalOf } from './refused-request.ts';
import { refusedState } from './refused-state.ts';

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
}

const POLICY: ProofFile = { name: 'policy', words: 'the policy with the keys of the log', path: '/log/policy' };

/** Receipts or proofs: to keep, and to verify here with the verifier that is served. */
export function proofFiles({ about, files, signal }: Proof): HTMLElement {
  const box = h('div', { class: 'verified-here', 'aria-live': 'polite' });
  const verify = async (attempt = 0): Promise<void> => {
    fill(box, h('p', { class: 'soft' }, 'Verifying\u2026'));
    try {
      const verifier = await loadVerifier();
      const [policy, ...proofs] = await Promise.all([POLICY, ...files].map((file) => readText(file, signal)));
      const verified = await verifiedFiles(verifier, proofs, policy?.text ?? null);
      const proved = verified.filter((file) => file.proved).length;
      const words = `${proved} of ${verified.length} proved by the keys that this service shows.`;
      const concluded = conclusionList(verifier, verified);
      fill(box, h('p', { class: 'verify-status' }, words), ...verified.map(verifiedFile), concluded);
    } catch (error) {
      if (!signal.aborted) fill(box, refusedState(error, 'Could not verify.', { retry: verify, attempt, signal }));
    }
  };
  return h(
    'section',
    { class: 'facts proof' },
    h('h2', {}, 'Proof'),
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
}

/** @throws RefusedRequest with the message of the service */
async function readText({ name, path }: ProofFile, signal: AbortSignal): Promise<NamedText> {
  const response = await fetch(path, { signal }).catch(() => {
    signal.throwIfAborted();
    throw unreachable();
  });
  if (!response.ok) throw await refusalOf(response, 'GET');
  return { name, text: await response.text() };
}

type Verifier = typeof import('../../../../../clients/typescript/verify/verify-file.ts') &
  Pick<typeof import('../../../../../clients/typescript/verify/conclusions.ts'), 'conclusionsOf' | 'conclusionText'> &
  Pick<typeof import('../../../../../clients/typescript/verify/timestamps.ts'), 'stampFiles'> &
  typeof import('../../../../../clients/typescript/verify/record-proof.ts');

export function loadVerifier(): Promise<Verifier> {
  return import(VERIFIER);
}

export interface NamedText {
  readonly name: string;
  readonly text: string;
}

interface VerifiedFile {
  readonly name: string;
  readonly lines: readonly Line[];
  readonly proved: boolean;
  /** Of a whole record: whether all of it is there. */
  readonly whole?: string;
}

/** What the verifier says of each proof; an outcome is compared with its decision among them. */
export async function verifiedFiles(
  { verifyFile, verifyRecord, isProved }: Verifier,
  proofs: readonly NamedText[],
  policy: string | null,
): Promise<readonly VerifiedFile[]> {
  const texts = proofs.map(({ text }) => text);
  return Promise.all(
    proofs.map(async ({ name, text }) => {
      if (text.startsWith('{"type":"record"')) {
        const { lines, whole } = await verifyRecord(text, policy, null);
        return { name, lines, whole, proved: whole.startsWith('proved') };
      }
      const lines = await verifyFile(text, policy, texts);
      return { name, lines, proved: isProved(lines) };
    }),
  );
}

/** What is proved by all files together: what was said, when, and whether it is all of it. */
export function conclusionList(
  { conclusionsOf, conclusionText }: Verifier,
  files: readonly VerifiedFile[],
): HTMLElement {
  const conclusions = files.length === 0 ? [] : conclusionsOf(files.map(({ lines }) => lines));
  return h(
    'ul',
    { class: 'conclusions' },
    ...conclusions.map((each) => h('li', { 'data-verdict': each.verdict }, conclusionText(each))),
  );
}

/** How to verify the timestamps of proofs, which a browser does not; nothing where there are none. */
export function stampCommands({ stampFiles }: Verifier, proofs: readonly NamedText[]): readonly HTMLElement[] {
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

export function verifiedFile({ name, lines, proved, whole }: VerifiedFile): HTMLElement {
  return h(
    'section',
    { class: 'verified' },
    h('h2', {}, name, ': ', proved ? 'proved' : 'not proved'),
    h('ul', {}, ...lines.map(lineOf)),
    whole !== undefined && h('p', {}, h('b', {}, 'all of it: '), whole),
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
