import type { Config } from '../config/config.ts';

/** The next steps for a person who has just started the service. */
export function welcome(url: string, { database }: Config): string {
  const account = '{"email":"you@example.org","password":"a long pass phrase"}';
  return [
    '',
    `Stancebook is ready at ${url}`,
    `  Page       ${url}/`,
    `  Reference  ${url}/docs`,
    `  First key  curl -s ${url}/api/v1/public/auth/quick-setup -H 'content-type: application/json' -d '${account}'`,
    '  Next       README.md walks through a first decision and its grade.',
    ...(database.url === null
      ? ['  Ctrl-C     stops it, its database included; the data stay in the data folder.']
      : []),
    '',
  ].join('\n');
}
