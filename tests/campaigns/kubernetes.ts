// What Debian's kubectl reads of docs/operating/kubernetes.yaml, without a cluster: `npm run kubernetes`. See docs/scaling.md.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';
import { openTally } from './stage/tally.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly template?: object };
}

const FILE = new URL('../../docs/operating/kubernetes.yaml', import.meta.url);
const documents = parseAllDocuments(readFileSync(FILE, 'utf8'), { version: '1.1' });
const folder = makeThrowawayFolder('kubernetes');
const tally = openTally('Kubernetes');
try {
  const kubectl = debiansKubectl();
  for (const document of documents) {
    const manifest = document.toJS() as Manifest;
    const name = `${manifest.kind} ${manifest.metadata.name}`;
    if (manifest.spec.template) tally.check(`kubectl keeps every field of ${name}`, lostFields(kubectl, manifest));
    else
      console.log(
        `${name} is not checked here: kubectl needs a cluster for it. tests/docs/kubernetes.test.ts checks it.`,
      );
  }
} finally {
  removeThrowawayFolder(folder);
}
process.exitCode = tally.close() ? 0 : 1;

/** The program of Debian's package, which is unpacked and not installed. */
function debiansKubectl(): string {
  run('apt-get', ['download', 'kubernetes-client']);
  const archive = readdirSync(folder).find((name) => name.endsWith('.deb')) ?? '';
  run('dpkg-deb', ['--extract', archive, 'unpacked']);
  return join(folder, 'unpacked/usr/bin/kubectl');
}

/** kubectl reads a manifest with pods into its own types, and drops what they lack; these are the paths that are gone or changed. */
function lostFields(kubectl: string, manifest: Manifest): readonly string[] {
  const file = join(folder, 'manifest.json');
  writeFileSync(file, JSON.stringify(manifest));
  return lostPaths(
    manifest,
    JSON.parse(run(kubectl, ['set', 'env', '--local', '-f', file, 'CHECKED=1', '-o', 'json'])),
    '',
  );
}

function lostPaths(sent: unknown, read: unknown, path: string): readonly string[] {
  if (typeof sent !== 'object' || sent === null) return isDeepStrictEqual(sent, read) ? [] : [path];
  const fields = Object.entries((read ?? {}) as Readonly<Record<string, unknown>>);
  return Object.entries(sent).flatMap(([name, value]) =>
    lostPaths(value, fields.find(([field]) => field === name)?.[1], `${path}/${name}`),
  );
}

function run(command: string, args: readonly string[]): string {
  const { status, error, stdout, stderr } = spawnSync(command, [...args], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr.trim()}`);
  return stdout;
}
