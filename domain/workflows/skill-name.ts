import { WORKFLOW } from '../limits.ts';
import type { Snapshot, SnapshotContent } from './snapshot.ts';

/** Reserved file and folder names on Windows, with any extension. */
const DEVICE = /^(con|prn|aux|nul|(com|lpt)\d)$/;

/** Enough of the hash to distinguish snapshots without a name in Latin letters. */
const HASH_DIGITS = 12;

/**
 * The name of a snapshot's skill: of its folder and files, and for the agent to call it by. 1 to 64 of a-z, 0-9 and
 * single hyphens, so that it is safe on every file system and valid in the Agent Skills format.
 */
export function skillName({ hash, content }: Snapshot): string {
  const { name } = JSON.parse(content) as SnapshotContent;
  return slug(name) ?? `workflow-${hash.slice(0, HASH_DIGITS)}`;
}

/** The Latin letters and digits of a text, without diacritics; undefined when no name remains. */
export function slug(text: string): string | undefined {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const joined = words.filter(Boolean).join('-');
  const short = joined.slice(0, WORKFLOW.skillNameLength).replace(/-$/, '');
  if (DEVICE.test(short)) return `workflow-${short}`;
  return short === '' ? undefined : short;
}
