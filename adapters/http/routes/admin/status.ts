import { readStatus, type StatusPorts } from '../../../../application/operators/read-status.ts';
import { endpoint } from '../../kit/endpoint.ts';
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
