import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A filesystem of its own that can run full. */
export interface SmallDisk {
  /** Where it is mounted. */
  readonly path: string;
  /** Takes all room that is left. */
  fill(): void;
  makeRoom(): void;
  unmount(): void;
}

/** Sparse: it takes as much of the machine's disk as is written to it. */
const BYTES = 3 * 1024 ** 3;
/** In memory where there are no loop devices, so smaller. */
const BYTES_OF_MEMORY = 1536 * 1024 ** 2;
const MEBIBYTE = 1024 ** 2;

/** An ext4 in a file, else a tmpfs, mounted at `path`; null where this user may not mount. */
export function mountSmallDisk(folder: string, path: string): SmallDisk | null {
  mkdirSync(path, { recursive: true });
  const image = join(folder, 'disk.img');
  if (!mountImage(image, path) && !did('mount', '-t', 'tmpfs', '-o', `size=${BYTES_OF_MEMORY}`, 'tmpfs', path)) {
    rmSync(image, { force: true });
    return null;
  }
  // The user of the database passes through it.
  chmodSync(path, 0o755);
  const balloons = join(path, 'balloons');
  return {
    path,
    fill: () => fill(balloons),
    makeRoom: () => rmSync(balloons, { recursive: true, force: true }),
    unmount: () => unmount(path),
  };
}

/** Also what a campaign left that was killed; nothing where nothing is mounted. */
export function unmount(path: string): void {
  if (!did('umount', path)) did('umount', '-l', path);
}

function mountImage(image: string, path: string): boolean {
  if (process.geteuid?.() !== 0) return false;
  writeFileSync(image, '', { mode: 0o600 });
  return (
    did('truncate', '-s', String(BYTES), image) &&
    did('mkfs.ext4', '-q', '-F', '-m', '0', image) &&
    did('mount', '-o', 'loop', image, path)
  );
}

/** By files of half of what is left, and half of that again, until nothing is worth a file. */
function fill(balloons: string): void {
  mkdirSync(balloons, { recursive: true });
  let bytes = freeBytes(balloons);
  for (let n = 0; bytes >= 4_096; n++) {
    if (!did('fallocate', '-l', String(bytes), join(balloons, String(n)))) bytes = Math.floor(bytes / 2);
    bytes = Math.min(bytes, freeBytes(balloons));
  }
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** How much of it is used, for the summary. */
export function usedMebibytes({ path }: SmallDisk): number {
  const { blocks, bfree, bsize } = statfsSync(path);
  return Math.round(((blocks - bfree) * bsize) / MEBIBYTE);
}

function did(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}
