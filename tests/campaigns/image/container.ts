import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { ImageSettings } from './buildah.ts';

/** What a container gets of the machine: by its path in the container, a folder that it can read. */
export type Mounts = Readonly<Record<string, string>>;

export interface Container {
  /** Resolves with the exit code and all output. */
  readonly ended: Promise<{ readonly status: number | null; readonly output: string }>;
  stop(): void;
}

/**
 * Runs a command on the files of an image as the image says: as its user, without any right of root, with its root
 * read-only and a new /tmp. Network and processes are those of the machine.
 */
export function runContainer(
  root: string,
  image: ImageSettings,
  variables: Readonly<Record<string, string>>,
  { command = image.Cmd, mounts = {} }: { readonly command?: readonly string[]; readonly mounts?: Mounts } = {},
): Container {
  const points = Object.keys(mounts).map((inside) => `"$root${inside}"`);
  const script = `set -e
root='${root}'
mkdir -p ${['"$root/proc" "$root/dev"', ...points].join(' ')}
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
${Object.entries(mounts)
  .map(([inside, folder]) => `mount --bind '${folder}' "$root${inside}"`)
  .join('\n')}
exec setpriv --no-new-privs chroot --userspec=${image.User} --groups= "$root" \
  /bin/sh -c 'cd "$0" && exec "$@"' '${image.WorkingDir}' "$@"`;
  const given = Object.fromEntries(image.Env.map((each) => [each.split('=')[0], each.slice(each.indexOf('=') + 1)]));
  const child = spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', ...command], {
    env: { ...given, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ended = Promise.all([code, text(child.stdout), text(child.stderr)]);
  return {
    ended: ended.then(([status, stdout, stderr]) => ({ status, output: stdout + stderr })),
    stop: () => void child.kill(),
  };
}
