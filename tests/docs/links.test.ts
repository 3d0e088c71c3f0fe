import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = [
  'README.md',
  'CHANGELOG.md',
  'LICENSING.md',
  '.github/SECURITY.md',
  '.github/pull_request_template.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
];

test.each(PAGES)('every link of %s leads to a file, and to a heading of it', (page) => {
  const targets = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  const own = targets.filter((target) => !/^[a-z]+:/.test(target));
  expect(own.filter((target) => !leads(page, target))).toEqual([]);
});

function leads(page: string, target: string): boolean {
  const [path = '', heading] = target.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  return existsSync(join(ROOT, file)) && (heading === undefined || anchorsOf(file).includes(heading));
}

/** As GitHub makes them. */
function anchorsOf(file: string): readonly string[] {
  return [...withoutCode(read(file)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, '');
}

test('the index of the documents lists every page of docs/', () => {
  const listed = [...read('docs/README.md').matchAll(/\]\(([^)#\s]+\.md)\)/g)].map(([, page = '']) => page);
  const pages = readdirSync(join(ROOT, 'docs')).filter((file) => file.endsWith('.md') && file !== 'README.md');
  expect(pages.filter((page) => !listed.includes(page))).toEqual([]);
});

/** Names in pages that are of no file here: one is in the archive of an export, one a placeholder. */
const OF_NO_FILE = ['unpack-receipts.mjs', 'adapters/postgres/migrations/NNNN-words.sql'];

const ROOMS = ['domain', 'application', 'adapters', 'infrastructure', 'clients', 'scripts', 'tests', 'findings'];

test('every source that a page names is there, by its path or the end of it', () => {
  const known = new Set(
    ROOMS.flatMap((room) =>
      readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' }).map((file) => join(room, file)),
    )
      .filter((file) => !file.includes('node_modules/'))
      .flatMap((file) => file.split('/').map((_, index, parts) => parts.slice(index).join('/'))),
  );
  const missing = PAGES.filter((page) => page !== 'CHANGELOG.md').flatMap((page) =>
    [...read(page).matchAll(/`(\w[\w./-]*\.(?:ts|sql|mjs|py))`/g)]
      .map(([, name = '']) => name)
      .filter((name) => !known.has(name) && !OF_NO_FILE.includes(name))
      .map((name) => `${page}: ${name}`),
  );
  expect(missing).toEqual([]);
});
