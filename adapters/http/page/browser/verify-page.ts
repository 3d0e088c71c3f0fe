import { fill, part } from './kit/elements.ts';
import {
  conclusionList,
  loadVerifier,
  type NamedText,
  stampCommands,
  verifiedFile,
  verifiedFiles,
} from './kit/proof-files.ts';

/** Loaded now, so that the page works when the network is off. */
const verifier = loadVerifier();

const form = part('#verify', HTMLFormElement);
const chosen = part('#verify-files', HTMLInputElement);
const pasted = part('#verify-text', HTMLTextAreaElement);
const status = part('#verify-status', HTMLElement);
const results = part('#verify-results', HTMLElement);
let proofs: readonly NamedText[] = [];
let policy: NamedText | null = null;

/** A file that is no policy counts as a proof, so that a damaged one fails in words. */
async function add(texts: readonly NamedText[]): Promise<void> {
  for (const each of texts) {
    if (/^(?:log|witness|group|quorum)[ \t]/m.test(each.text)) policy = each;
    else proofs = [...proofs.filter(({ name }) => name !== each.name), each];
  }
  await show();
}

async function show(): Promise<void> {
  try {
    const files = await verifiedFiles(await verifier, proofs, policy?.text ?? null);
    const stamps = stampCommands(await verifier, proofs);
    fill(results, conclusionList(await verifier, files), ...files.map(verifiedFile), ...stamps);
    const proved = files.filter((file) => file.proved).length;
    const keys = policy ? `by the keys in ${policy.name}` : 'without a policy, so no signature is checked';
    fill(status, files.length === 0 ? 'No receipt yet.' : `${proved} of ${files.length} proved ${keys}.`);
  } catch (error) {
    fill(results);
    fill(status, `Nothing was verified: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function addFiles(files: Iterable<File>): Promise<void> {
  const texts = Array.from(files, async (file) => ({ name: file.name, text: await file.text() }));
  return Promise.all(texts).then(add);
}

function addText(text: string): void {
  if (text.trim() !== '') void add([{ name: `pasted text ${proofs.length + 1}`, text: text.replaceAll('\r\n', '\n') }]);
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
