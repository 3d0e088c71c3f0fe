import { relative } from 'node:path';
import { keyFile } from './agents.ts';
import { COHORT_PATH } from './cohorts.ts';
import type { Acknowledgement } from './grades.ts';

/** Commands to try next. They read the keys from their files. */
export function curlLines(url: string, folder: string, [record]: readonly Acknowledgement[]): string[] {
  if (!record) return [];
  const { agent, record_id } = record;
  const get = (name: string, path: string) =>
    `curl -s -H "X-API-Key: $(cat ${nearest(keyFile(folder, name))})" '${url}${path}'`;
  const other = agent === 'coin' ? 'trend' : 'coin';
  return [
    '# its owner sees everything',
    get(agent, `/api/v1/agent/decisions/${record_id}`),
    '# another owner sees the public form',
    get(other, `/api/v1/agent/decisions/${record_id}/state`),
    '# and so does everybody',
    `curl -s '${url}/api/v1/public/decisions/${record_id}'`,
    '# what the records of all owners on one share came to',
    get(other, COHORT_PATH),
    '# its receipt, and a program that checks it offline: node verify.mjs receipt --policy policy',
    `${get(agent, `/api/v1/agent/decisions/${record_id}/receipt`)} > receipt`,
    `curl -s '${url}/log/policy' > policy; curl -s '${url}/clients/verify.mjs' > verify.mjs`,
    '# every endpoint, to read in a browser',
    `curl -s '${url}/docs'`,
  ];
}

function nearest(file: string): string {
  const below = relative(process.cwd(), file);
  return below.startsWith('..') ? file : below;
}
