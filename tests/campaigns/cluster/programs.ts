import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { installPackages } from '../stage/debian.ts';

/** Debian's packages by a program of each. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  '/usr/bin/patroni': ['patroni', 'python3-etcd', 'postgresql'],
  '/usr/bin/etcd': ['etcd-server'],
  '/usr/sbin/haproxy': ['haproxy'],
  '/usr/sbin/pgbouncer': ['pgbouncer'],
  '/usr/bin/psql': ['postgresql'],
  '/usr/sbin/ip': ['iproute2'],
};

const POLICY = '/usr/sbin/policy-rc.d';

/** Installs the programs that are missing, without starting their services on this machine. */
export function installPrograms(): void {
  const missing = Object.entries(PACKAGES).flatMap(([program, names]) => (existsSync(program) ? [] : names));
  if (missing.length === 0) return;
  const guarded = existsSync(POLICY);
  if (!guarded) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    installPackages(...new Set(missing));
  } finally {
    if (!guarded) rmSync(POLICY);
  }
}
