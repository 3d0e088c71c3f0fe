import { Gauge, type Registry } from 'prom-client';
import { DISK_STATES } from '../../domain/disk-space.ts';
import type { DiskWatch } from '../background/disk-watch.ts';

/** The disk of the database as this process sees it. Free bytes are only shown where it can see the disk. */
export function diskGauges(registry: Registry, { report }: Pick<DiskWatch, 'report'>): void {
  const registers = [registry];
  new Gauge({
    name: 'stancebook_disk_state',
    help: 'Whether the disk of the database has room: 1 for the state that it has, 0 for the others.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const state of DISK_STATES) this.set({ state }, state === report().state ? 1 : 0);
    },
  });
  if (report().free_bytes === null) return;
  new Gauge({
    name: 'stancebook_disk_free_bytes',
    help: 'Free bytes on the disk of the embedded database.',
    registers,
    collect() {
      this.set(report().free_bytes ?? 0);
    },
  });
}
