import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A small filesystem that can run full. */
export interface SmallDisk {
  /** Where it is mounted. */
  readonly path: string;
  /** Uses all free space. */
  fill(): void;
  makeRoom(): void;
  unmount(): void;
}

/** Sparse: it uses as much of the machine's disk as is written to it. */
const BYTES = 3 * 1024 ** 3;
/** Smaller, as it is in memory where there are no loop devices. */
const BYTES_OF_MEMORY = 1536 * 1024 ** 2;

/** Mounts an ext4 in a file, or else a tmpfs, at `path`. Returns null when this user may not mount. */
export function mountSmallDisk(folder: string, path: string): SmallDisk | null {
  mkdirSync(path, { recursive: true });
  const image = join(folder, 'disk.img');
  if (!mountImage(image, path) && !succeeds('mount', '-t', 'tmpfs', '-o', `size=${BYTES_OF_MEMORY}`, 'tmpfs', path)) {
    rmSync(image, { force: true });
    return null;
  }
  // The database's user can pass through it.
  chmodSync(path, 0o755);
  const balloons = join(path, 'balloons');
  return {
    path,
    fill: () => fill(balloons),
    makeRoom: () => rmSync(balloons, { recursive: true, force: true }),
    unmount: () => unmount(path),
  };
}

/** Unmounts the path if anything is mounted there. */
export function unmount(path: string): void {
  if (!succeeds('umount', path)) succeeds('umount', '-l', path);
}

function mountImage(image: string, path: string): boolean {
  if (process.geteuid?.() !== 0) return false;
  writeFileSync(image, '', { mode: 0o600 });
  return (
    succeeds('truncate', '-s', String(BYTES), image) &&
    succeeds('mkfs.ext4', '-q', '-F', '-m', '0', image) &&
    succeeds('mount', '-o', 'loop', image, path)
  );
}

/** Writes files of half of the free space until a block remains. */
function fill(balloons: string): void {
  mkdirSync(balloons, { recursive: true });
  let bytes = freeBytes(balloons);
  for (let n = 0; bytes >= 4_096; n++) {
    if (!succeeds('fallocate', '-l', String(bytes), join(balloons, String(n)))) bytes = Math.floor(bytes / 2);
    bytes = Math.min(bytes, freeBytes(balloons));
  }
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

function succeeds(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}
