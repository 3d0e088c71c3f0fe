import type { Line } from '../../../../../clients/typescript/verify/verdict.ts';
import { h } from './elements.ts';

type Verifier = typeof import('../../../../../clients/typescript/verify/verify-file.ts');

/** Served next to the page: the same file that Node.js runs. */
const VERIFIER: string = '/clients/verify.mjs';

export function loadVerifier(): Promise<Verifier> {
  return import(VERIFIER);
}

export interface NamedText {
  readonly name: string;
  readonly text: string;
}

export interface VerifiedFile {
  readonly name: string;
  readonly lines: readonly Line[];
  readonly proved: boolean;
}

/** What the verifier says of each proof; an outcome is compared with its decision among them. */
export async function verifiedFiles(
  { verifyFile, isProved }: Verifier,
  proofs: readonly NamedText[],
  policy: string | null,
): Promise<readonly VerifiedFile[]> {
  const texts = proofs.map(({ text }) => text);
  return Promise.all(
    proofs.map(async ({ name, text }) => {
      const lines = await verifyFile(text, policy, texts);
      return { name, lines, proved: isProved(lines) };
    }),
  );
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
