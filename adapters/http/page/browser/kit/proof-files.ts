import { button, fill, h } from './elements.ts';
import { refusalOf } from './refused-request.ts';
import { refusedState } from './refused-state.ts';
import { unreachable } from './unreachable.ts';
import { loadVerifier, type NamedText, verifiedFile, verifiedFiles } from './verified-file.ts';

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
      fill(box, h('p', { class: 'verify-status' }, words), ...verified.map(verifiedFile));
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
