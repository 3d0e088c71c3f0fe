import { button, fill, h } from '../kit/elements.ts';
import { refusalOf, unreachable } from '../kit/refused-request.ts';
import { refusedState } from '../kit/refused-state.ts';
import { loadVerifier, type NamedText, verifiedFile, verifiedFiles } from '../kit/verified-file.ts';
import type { Detail } from '../kit/wire.ts';

interface ProofFile {
  /** Of the file that a reader keeps. */
  readonly name: string;
  readonly words: string;
  readonly path: string;
}

/**
 * The receipts or the public proofs of a decision: to keep, and to verify here with the verifier that is served. null
 * where the log does not show the decision.
 */
export function proofPart(record: Detail, signal: AbortSignal): HTMLElement | null {
  if (record.log === null) return null;
  const files = filesOf(record, record.log.outcome_index !== null);
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
    h('p', { class: 'soft' }, ABOUT),
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

const ABOUT =
  'The evidence log contains this decision and its grade. Verified here, the files fit together; that nobody rewrote the log is shown only by a policy from somebody else, and offline.';

const POLICY: ProofFile = { name: 'policy', words: 'the policy with the keys of the log', path: '/log/policy' };

function filesOf({ view, record_id }: Detail, isGradeLogged: boolean): readonly ProofFile[] {
  const isOwn = view === 'owner';
  const path = isOwn
    ? `/api/v1/agent/decisions/${record_id}/receipt?opening=full`
    : `/api/v1/public/decisions/${record_id}/proof`;
  const decision = isOwn
    ? { name: 'receipt', words: 'the receipt of the decision, with all that only you see', path }
    : { name: 'proof', words: 'the proof of the decision', path };
  const grade = isOwn
    ? { name: 'grade', words: 'the receipt of the grade, with its bars', path: `${path}&leaf=outcome` }
    : { name: 'grade', words: 'the proof of the grade', path: `${path}?leaf=outcome` };
  return isGradeLogged ? [decision, grade] : [decision];
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
