import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { ROOT } from './bundle-programs.ts';

/** Served to browsers in their packaged form, so that no part of the programs names them. */
const SERVED_LIBRARIES = ['lightweight-charts', 'uqr'].map((name) => `node_modules/${name}`);

/**
 * The name, the version, the licence and the notices of each package that is part of the build, as one text.
 * @throws Error for a package without a licence
 */
export function licencesOf(metafile: Metafile): string {
  const packages = packagesIn(metafile).map((folder) => noticeOf(folder));
  return `Stancebook contains parts of these packages. What each of them asks to be passed on follows.\n\n${packages.join('\n')}`;
}

/** The folders of the packages that are part of the build, in order. */
function packagesIn({ inputs }: Metafile): readonly string[] {
  const bundled = Object.keys(inputs).flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set([...bundled, ...SERVED_LIBRARIES])].toSorted();
}

function noticeOf(folder: string): string {
  const place = join(ROOT, folder);
  const { name, version, license } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as Described;
  const files = readdirSync(place).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.toSorted().map((file) => readFileSync(join(place, file), 'utf8').trim());
  const notices = texts.length > 0 ? texts : [readmePart(place)].filter((text) => text !== '');
  if (!license && notices.length === 0) throw new Error(`${name} has no licence.`);
  const line = '='.repeat(78);
  return `${[`${line}\n${name} ${version}${license ? ` (${license})` : ''}\n${line}`, ...notices].join('\n\n')}\n`;
}

interface Described {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** What the package's README says of its licence, for one that has no file of it. */
function readmePart(place: string): string {
  const readme = readdirSync(place).find((file) => /^readme/i.test(file));
  if (readme === undefined) return '';
  const text = readFileSync(join(place, readme), 'utf8');
  const begin = text.search(/^#+ .*licen[cs]e/im);
  return begin < 0 ? '' : text.slice(begin).trim();
}
