import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..');
const LAYERS = ['domain', 'application', 'adapters', 'infrastructure'];

/** What each of these texts does is written once: the only file of the sources that contains it. */
const HOMES = [
  { what: 'SHA-256', text: /\bhash\('sha256'|createHash\('/, home: 'application/sha256.ts' },
  { what: 'canonical JSON', text: /'canonicalize'/, home: 'adapters/formats/canonical-json.ts' },
  { what: 'the greatest horizon', text: /31[_,]536[_,]000/, home: 'domain/limits.ts' },
  { what: 'the head of a document', text: /<head>/, home: 'adapters/http/page/document.ts' },
  { what: 'the sealed statement', text: /\{"body":\$\{/, home: 'domain/decisions/submission/commitment.ts' },
];

test.each(HOMES)('$what has one home, $home', ({ text, home }) => {
  expect(filesWith(text)).toEqual([home]);
});

function filesWith(text: RegExp): string[] {
  const files = LAYERS.flatMap((layer) =>
    readdirSync(join(ROOT, layer), { recursive: true, encoding: 'utf8' }).map((name) => join(layer, name)),
  );
  return files.filter((name) => /\.(ts|html)$/.test(name) && text.test(readFileSync(join(ROOT, name), 'utf8')));
}
