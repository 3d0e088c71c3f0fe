import { fill, part } from './kit/elements.ts';
import {
  conclusionList,
  type GivenPolicy,
  loadVerifier,
  type NamedText,
  sentenceParts,
  stampCommands,
  type Verified,
  verifiedFile,
  verifyTogether,
} from './kit/proof-files.ts';
import { isSamePolicy } from './kit/value-texts.ts';
import { recordPart } from './verify/record-part.ts';

/** Loaded now, so that the page works when the network is off. */
const verifier = loadVerifier();

const form = part('#verify', HTMLFormElement);
const chosen = part('#verify-files', HTMLInputElement);
const pasted = part('#verify-text', HTMLTextAreaElement);
const status = part('#verify-status', HTMLElement);
const results = part('#verify-results', HTMLElement);
/** The policy of the service, which the document has, because the page can connect to nothing; empty without a log. */
const own = document.querySelector('#service-policy')?.textContent ?? '';
let proofs: readonly NamedText[] = [];
let policy: (GivenPolicy & Pick<NamedText, 'name'>) | null = null;

/** A file that is no policy counts as a proof, so that a damaged one fails in words. */
async function add(texts: readonly NamedText[]): Promise<void> {
  for (const each of texts) {
    const isLearnt = isSamePolicy(each.text, own);
    if (/^(?:log|witness|group|quorum)[ \t]/m.test(each.text))
      policy = { name: each.name, text: isLearnt ? own : each.text, isLearnt };
    else proofs = [...proofs.filter(({ name }) => name !== each.name), each];
  }
  await show();
}

async function show(): Promise<void> {
  try {
    const loaded = await verifier;
    const verified = await verifyTogether(loaded, proofs, policy);
    const records = verified.files.flatMap(({ name, record }) =>
      record ? [recordPart(name, record, loaded.gradedParts(record.decisions))] : [],
    );
    fill(
      results,
      ...sentenceParts(verified),
      conclusionList(verified),
      ...records,
      ...verified.files.map(verifiedFile),
      ...stampCommands(loaded, proofs),
    );
    fill(status, statusText(verified));
  } catch (error) {
    fill(results);
    fill(status, `Nothing was verified: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function statusText({ files }: Verified): string {
  const proved = files.filter((file) => file.proved).length;
  const keys = policy ? `by the keys in ${policy.name}` : 'without a policy, so no signature is checked';
  if (files.length === 0) return policy ? `No receipt yet; the keys are those in ${policy.name}.` : 'No receipt yet.';
  return `${proved} of ${files.length} proved ${keys}.`;
}

function addFiles(files: Iterable<File>): Promise<void> {
  const texts = Array.from(files, async (file) => ({ name: file.name, text: await file.text() }));
  return Promise.all(texts).then(add);
}

function addText(text: string): void {
  if (text.trim() !== '') void add([{ name: `pasted text ${proofs.length + 1}`, text: text.replaceAll('\r\n', '\n') }]);
}

/** The example is a file of its own, which only those load who want it. */
async function tryExample(): Promise<void> {
  try {
    const { EXAMPLE } = await import('./example/example.ts');
    proofs = EXAMPLE.proofs;
    policy = { ...EXAMPLE.policy, isLearnt: false };
    await show();
  } catch {
    fill(status, 'The example could not be loaded: connect this device, and try again.');
  }
}

chosen.addEventListener('change', () => {
  // A file that is chosen again, after a change, counts as chosen.
  void addFiles(chosen.files ?? []).then(() => {
    chosen.value = '';
  });
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  addText(pasted.value);
  pasted.value = '';
});
form.addEventListener('reset', () => {
  proofs = [];
  policy = null;
  fill(results);
  fill(status);
});
part('#verify-example', HTMLButtonElement).addEventListener('click', () => void tryExample());
document.querySelector('#verify-own-policy')?.addEventListener('click', () => {
  policy = { name: 'the policy of this service', text: own, isLearnt: true };
  void show();
});
addEventListener('paste', ({ clipboardData, target }) => {
  const files = clipboardData?.files ?? [];
  if (files.length > 0) void addFiles(files);
  else if (target !== pasted) addText(clipboardData?.getData('text/plain') ?? '');
});
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', (event) => {
  event.preventDefault();
  void addFiles(event.dataTransfer?.files ?? []);
});
