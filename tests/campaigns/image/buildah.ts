import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './programs.ts';

/** Debian's buildah with a storage of its own. */
export interface Buildah {
  /** Makes an image of a folder. */
  import(folder: string, name: string, ...settings: readonly string[]): void;
  /** Builds the Dockerfile of a folder. Returns what was printed. */
  build(context: string, name: string, args: Readonly<Record<string, string>>): void;
  inspect(name: string): ImageSettings;
  /** A folder with the files of an image. */
  mount(name: string): string;
  /** Releases what is mounted. */
  close(): void;
}

export interface ImageSettings {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Healthcheck?: { readonly Test: readonly string[] };
}

export function openBuildah(folder: string): Buildah {
  mkdirSync(folder, { recursive: true });
  const policy = join(folder, 'policy.json');
  writeFileSync(policy, '{"default":[{"type":"insecureAcceptAnything"}]}');
  const place = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
  const buildah = (...args: readonly string[]) => runProgram('buildah', [...place, ...args]).trim();
  return {
    import(files, name, ...settings) {
      const container = buildah('from', 'scratch');
      buildah('add', '--quiet', container, files, '/');
      buildah('config', '--env', 'PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...settings, container);
      buildah('commit', '--quiet', '--signature-policy', policy, '--rm', container, name);
    },
    build(context, name, args) {
      const values = Object.entries(args).flatMap(([each, value]) => ['--build-arg', `${each}=${value}`]);
      const options = ['--isolation', 'chroot', '--network', 'host', '--pull-never', '--format', 'docker'];
      buildah('bud', ...options, '--signature-policy', policy, ...values, '--tag', name, context);
    },
    inspect(name) {
      return JSON.parse(buildah('inspect', '--type', 'image', name)).Docker.config;
    },
    mount(name) {
      return buildah('mount', buildah('from', '--pull-never', '--signature-policy', policy, name));
    },
    close() {
      buildah('umount', '--all');
    },
  };
}
