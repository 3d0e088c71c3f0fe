import { spawnSync } from 'node:child_process';

/** Why the campaign cannot run here, and what to do; null when it can. */
export function refusalOf(): string | null {
  if (process.platform !== 'linux') return 'The cluster campaign needs Linux: its hosts are network namespaces.';
  if (process.getuid?.() !== 0) return 'The cluster campaign makes network namespaces: run it as root.';
  const trial =
    'mount -t tmpfs tmpfs /run && mkdir /run/netns && ip netns add trial && ip link add trial0 type bridge && ip link add trial1 type veth peer name eth0 netns trial';
  const { status, error, stderr } = spawnSync(
    'unshare',
    ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc', '--', 'bash', '-c', trial],
    { encoding: 'utf8' },
  );
  if (status === 0) return null;
  const reason = error?.message ?? stderr.trim();
  return `The cluster campaign cannot create network namespaces here (${reason}). Run it on a machine, or in a container, with CAP_SYS_ADMIN and CAP_NET_ADMIN.`;
}
