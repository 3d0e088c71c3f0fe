import { WORKFLOW } from '../limits.ts';
import type { Snapshot, SnapshotContent } from './snapshot.ts';

/** What a file or folder cannot be called on Windows, whatever its ending. */
const DEVICE = /^(con|prn|aux|nul|(com|lpt)\d)$/;

/** Enough of the hash to tell snapshots apart that have no name in Latin letters. */
const HASH_DIGITS = 12;

/**
 * The name of the skill that a snapshot makes: its folder and its files, and what an agent calls it by. 1 to 64 of a-z,
 * 0-9 and single hyphens, so that it is a safe name on every file system and a valid one of the Agent Skills format.
 */
export function skillName({ hash, content }: Snapshot): string {
  const { name } = JSON.parse(content) as SnapshotContent;
  return slug(name) ?? `workflow-${hash.slice(0, HASH_DIGITS)}`;
}

/** The Latin letters and digits of a text, marks taken off; undefined when that leaves no name. */
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
