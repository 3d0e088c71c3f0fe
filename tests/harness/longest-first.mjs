// Suites that take long begin first, so that no worker is left with one at the end. Jest itself goes by file size until
// it has seen a run.
import Sequencer from '@jest/test-sequencer';

/** Parts of paths, the longest first. */
const LONG = [
  'authorisation/matrix',
  'contracts/cohort-reader',
  'whole/stopping',
  'contracts/decision-records',
  'whole/readme',
  'whole/image',
  'whole/disk-full',
  'contracts/log-store',
  'whole/operator',
  'whole/demo',
  'mcp/clients',
  'circuits/played-days',
  'postgres/tenancy',
  'agent/wisdom.test',
  'contracts/owner-records',
  'agent/lifecycle',
  'owner/yaml-suites',
  'clients/command-line/',
  'whole/crash',
  'whole/external-database',
  'whole/evidence-log',
  'whole/workers',
  'contracts/atlas-store',
  'http/unreadable-records',
  'tests/whole/',
  'contracts/adapters',
  'embedded-postgres/embedded-postgres',
  'evidence/check-cohorts',
  'mcp/arguments',
  'owner/export-readers',
  'public/skill',
  'grading/look-ahead',
  'grading/vectors-2',
  'formats/yaml-readers',
  'admin/healthy-day',
  'public/atlas',
  'admin/played-depeg',
  'jobs/runner',
  'owner/removed',
  'kit/data-source',
  'postgres/long-statements',
  'kit/replica',
  'log/hostile-witness',
  'contracts/decision-',
  'commands/market-data',
  'agent/wisdom',
  'contracts/',
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => LONG.findIndex((part) => path.includes(part)) + 1 || LONG.length + 1;
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}
