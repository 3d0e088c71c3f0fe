import { readMinutes } from '../../../../application/operators/read-minutes.ts';
import { readStatus, type StatusPorts } from '../../../../application/operators/read-status.ts';
import type { Ports } from '../../../../application/ports.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { serviceMinutes } from '../../shapes/operators/service-minutes.ts';
import { serviceStatus, serviceStatusExample } from '../../shapes/operators/service-status.ts';

export const readStatusEndpoint = (ports: StatusPorts) =>
  endpoint({
    id: 'readStatus',
    method: 'GET',
    path: '/api/v1/admin/status',
    isAddition: true,
    summary: 'See what waits, what fails and what to do',
    description:
      'The state of all processes, jobs and sources of the service, from the database: `problems` names what is wrong and ' +
      'what the operator can do. The command `status` shows the same.',
    tag: 'Admin',
    auth: 'admin',
    replies: {
      200: { description: 'The state at this moment.', schema: serviceStatus, example: serviceStatusExample },
    },
    problems: [],
    async handle() {
      const { processes, jobs, ...status } = await readStatus(ports);
      const sinceDates = processes.map(({ running, ...each }) => ({
        ...each,
        running: running.map(({ job, since }) => ({ job, since: new Date(since) })),
      }));
      return { status: 200, body: { ...status, processes: sinceDates, jobs } };
    },
  });

export const readMinutesEndpoint = (ports: Pick<Ports, 'processes' | 'clock'>) =>
  endpoint({
    id: 'readMinutes',
    method: 'GET',
    path: '/api/v1/admin/minutes',
    isAddition: true,
    summary: 'Read the figures of the last day',
    description:
      'Requests, durations, backlog, evidence log and disk of the whole service, minute by minute. Each process adds its ' +
      'part, so a restart loses at most what it had not written of its last minute.',
    tag: 'Admin',
    auth: 'admin',
    replies: {
      200: {
        description: 'The minutes of the last day.',
        schema: serviceMinutes,
        example: {
          now: new Date('2026-01-30T14:31:02.000Z'),
          minutes: [
            {
              ...{ at: new Date('2026-01-30T14:30:00.000Z'), processes: 2, requests: 1_284, p99_ms: 18.4 },
              ...{ disk_free_bytes: 412_316_860_416, due: 3, log_size: 120_417, log_waits_seconds: 4 },
            },
          ],
        },
      },
    },
    problems: [],
    async handle() {
      const { now, minutes } = await readMinutes(ports);
      const shown = minutes.map(({ p99, disk_free, log_waits, ...minute }) => ({
        ...minute,
        ...{ p99_ms: p99, disk_free_bytes: disk_free, log_waits_seconds: log_waits },
      }));
      return { status: 200, body: { now, minutes: shown } };
    },
  });
