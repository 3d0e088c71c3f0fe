import { ask } from '../../kit/ask.ts';
import { attempt } from '../../kit/dialogs.ts';
import { button, type Child, fill, h } from '../../kit/elements.ts';
import { isTexts, keepChoice, keptChoice } from '../../kit/kept.ts';
import { loadVerifier, textAt, unreachable, verifyTogether } from '../../kit/proof-files.ts';
import { refusalOf, refusalWords } from '../../kit/refused-request.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { copyLine } from '../../kit/secrets.ts';
import { timeFrom } from '../../kit/shown-values.ts';
import { horizon, instant, instrument, percent, plain, verdictOf } from '../../kit/value-texts.ts';
import { noteNewKey } from '../new-key.ts';
import { bodyOf, curlOf, EXAMPLES, type Example, KEY_NAME } from './first-decision.ts';
import { troubleWords } from './overview-words.ts';

type Row = Schemas['OwnerDecisionSummary'];

/** The key while this tab has it; else the button that makes one. */
export function keyParts(keys: number, key: string | null, changed: () => void): readonly Child[] {
  if (key !== null)
    return [
      h('p', {}, 'Give it to your agent as a secret. Copy it now: only this tab shows it, until you leave the page.'),
      h('div', { class: 'secret' }, copyLine(key, 'Copy the key')),
      h(
        'details',
        {},
        h('summary', {}, 'In Python, or by the Model Context Protocol'),
        h('p', {}, 'The client is one file of the standard library:'),
        copyLine(`curl -s ${location.origin}/clients/stancebook.py > stancebook.py`),
        h('p', {}, 'A client of a model takes this address, with the key in the header X-API-Key:'),
        copyLine(`${location.origin}/mcp`),
        h('p', {}, h('a', { href: '/skill.md' }, '/skill.md'), ' is what an agent reads first.'),
      ),
    ];
  const make = () =>
    attempt('No key was made', 'The key is made.', async () => {
      const body = { permission_mode: 'read_write', agent_name: 'First agent' };
      const { api_key } = await ask<Schemas['CreatedKey']>('/api/v1/owner/auth/api-keys', { method: 'POST', body });
      noteNewKey(api_key);
      changed();
    });
  return keys === 0
    ? [button('Make an agent and its key', make, { class: 'primary' })]
    : [
        h('p', {}, 'You have a key. It was shown once, when it was made.'),
        button('Make another agent with its key', make),
      ];
}

/** The line that sends a first decision, until there is one. */
export function decisionParts(
  record: Row | null,
  key: string | null,
  signal: AbortSignal,
  changed: () => void,
): readonly Child[] {
  if (record !== null) return [h('p', {}, recordLink(record), ', received ', timeFrom(record.submission_time), '.')];
  const box = h('div');
  const show = (example: Example) => {
    const send = () =>
      attempt('It was not received', 'It is received.', async () => {
        if (key !== null) await asAgent('', bodyOf(example, new Date()), key, signal);
        changed();
      });
    fill(
      box,
      h('p', {}, example.words),
      copyLine(curlOf(example, location.origin, key), 'Copy the line'),
      key === null
        ? h('p', { class: 'soft' }, 'Put your key in the place of ', h('code', {}, KEY_NAME), ', or make one above.')
        : h('p', {}, 'Run it in a shell, or ', button('Send it from this page', send)),
    );
  };
  show(EXAMPLES[0]);
  if (key !== null)
    void withPrices(key, signal).then((example) => signal.aborted || example === EXAMPLES[0] || show(example));
  return [box, waiting('Waiting for your first decision')];
}

/** The first example whose prices the service has, as it says of a decision that it does not store. */
async function withPrices(key: string, signal: AbortSignal): Promise<Example> {
  for (const example of EXAMPLES) {
    const path = '?validate_only=true';
    const preview = await asAgent(path, bodyOf(example, new Date()), key, signal).catch(() => null);
    if (preview === null || preview.warnings.length === 0) return example;
  }
  return EXAMPLES[0];
}

interface Preview {
  readonly warnings: readonly unknown[];
}

/** Sends with the key alone, as an agent does. @throws RefusedRequest */
async function asAgent(query: string, body: object, key: string, signal: AbortSignal): Promise<Preview> {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const sent = { method: 'POST', credentials: 'omit', headers, body: JSON.stringify(body), signal } as const;
  const response = await fetch(`/api/v1/agent/decisions${query}`, sent).catch(() => {
    signal.throwIfAborted();
    throw unreachable();
  });
  if (!response.ok) throw await refusalOf(response, 'POST');
  return response.json();
}

function waiting(words: string): HTMLElement {
  return h('p', { class: 'waits', role: 'status' }, `${words}\u2026`);
}

function recordLink(record: Row): HTMLElement {
  const words = `${instrument(record)} ${record.direction} over ${horizon(record)}`;
  return h('a', { href: `#/records/${record.record_id}` }, words);
}

export function gradeParts(record: Row | null): readonly Child[] {
  if (record === null)
    return [h('p', { class: 'soft' }, 'It follows by itself once the window of the decision is over.')];
  const { result_bucket: bucket, path, lifecycle_state: state, expected_evaluation_at: at } = record;
  if (bucket !== null) {
    const value = path && (path.directional_return ?? path.raw_return);
    const mark = h('span', { class: `mark ${bucket}`, 'aria-hidden': 'true' });
    return [h('p', {}, h('span', { class: 'result' }, mark, plain(bucket)), value !== null && `, ${percent(value)}`)];
  }
  const why = troubleWords(record, instant);
  if (state !== 'verified' && state !== 'evaluating' && why !== '' && state !== 'pending_verify')
    return [h('p', {}, why)];
  const isDue = at === null || Date.parse(at) <= Date.now();
  return [waiting(isDue ? 'Waiting for its grade' : `Waiting for the end of its window, ${instant(at)}`)];
}

const VERIFIED = 'verified-first';

export function isVerified(record: Row | null): boolean {
  return record !== null && keptChoice(VERIFIED, isTexts, []).includes(record.record_id);
}

/** Between two looks into the log, which takes in what is new about once a minute. */
const LOOK = 3_000;

/** Verifies the receipt in this browser, as soon as the log has it. */
export function receiptParts(record: Row | null, signal: AbortSignal, changed: () => void): readonly Child[] {
  if (record === null) return [h('p', { class: 'soft' }, 'The log takes a decision in within a minute.')];
  const found = h('div', { role: 'status' });
  const path = `/api/v1/agent/decisions/${record.record_id}/receipt?opening=full`;
  const paths = record.result_bucket === null ? [path] : [path, `${path}&leaf=outcome`];
  const inLog = async (each: string) => {
    for (;;) {
      const text = await textAt(each, signal);
      if (text !== null) return { name: 'receipt', text };
      await new Promise((done) => setTimeout(done, LOOK));
    }
  };
  const verify = async () => {
    try {
      fill(found, h('p', { class: 'waits' }, 'Waiting for the log, which takes it in within a minute\u2026'));
      const files = await Promise.all(paths.map(inLog));
      const [verifier, policy] = await Promise.all([loadVerifier(), textAt('/log/policy', signal)]);
      const verified = await verifyTogether(verifier, files, policy === null ? null : { text: policy, isLearnt: true });
      const verdict = verdictOf(verified);
      const words = { holds: 'Verified', late: 'Late', 'not checked': 'Not proved', FAILS: 'It FAILS' }[verdict];
      fill(found, ...verified.sentences.map((sentence) => h('p', {}, h('b', {}, `${words}. `), sentence)));
      if (verdict === 'holds') keepChoice(VERIFIED, [record.record_id]);
    } catch (error) {
      if (signal.aborted) return;
      fill(found, h('p', {}, refusalWords(error)));
    }
    changed();
  };
  return [button(isVerified(record) ? 'Verify again' : 'Verify it here', verify), found];
}
