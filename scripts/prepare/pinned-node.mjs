import { existsSync, mkdirSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Types are stripped without a flag from 22.18 on, and from 23.6 on. */
export function isAble(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);
}

/** Whether the project's own Node.js runs this script. */
export function isPinned(root) {
  return process.execPath.startsWith(join(root, 'scripts/runtime'));
}

/** Puts the project's own Node.js first on the path of npm scripts. */
export function usePinnedNode(root, fail) {
  const pinned = join(root, `scripts/runtime/node_modules/node-${process.platform}-${process.arch}/bin/node`);
  if (!existsSync(pinned)) {
    fail(
      `Node.js ${process.versions.node} is too old and none is packaged for ${process.platform}-${process.arch}. Install Node.js 24 (22.18 is the oldest that works).`,
    );
  }
  const bin = join(root, 'node_modules/.bin');
  putLink(join(bin, 'node'), relative(bin, pinned));
}

/** Relative, so that a moved project keeps working; renamed into place, so that a concurrent run always finds it. */
function putLink(link, target) {
  if (linkOf(link) === target) return;
  mkdirSync(dirname(link), { recursive: true });
  const aside = `${link}-${process.pid}`;
  symlinkSync(target, aside);
  renameSync(aside, link);
}

function linkOf(path) {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
