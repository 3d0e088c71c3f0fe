import { instrumentsIn } from '../../adapters/market/files/bar-folder.ts';
import { instrumentKey } from '../../domain/market/instrument.ts';
import type { Config } from '../config/config.ts';
import { marketLines } from '../served-markets.ts';
import { VERSION } from '../version.ts';
import { evidenceLogLine } from './evidence-log-line.ts';

/** The next steps for a person who has just started the service. */
export async function welcome(url: string, config: Config): Promise<string> {
  const { database, marketData } = config;
  const account = '{"email":"you@example.org","password":"a long pass phrase"}';
  const isEmbedded = database.url === null;
  const [first, ...others] = await marketLines(marketData);
  return [
    '',
    `Stancebook ${VERSION} is ready at ${url}`,
    `  Page       ${url}/`,
    `  Reference  ${url}/docs`,
    `  First key  curl -s ${url}/api/v1/public/auth/quick-setup -H 'content-type: application/json' -d '${account}'`,
    '  Next       README.md walks through a first decision and its grade.',
    ...((await hasFirstPrices(marketData.barsDir)) ? [] : [`             ${missingPrices(isEmbedded)}`]),
    `  Markets    ${first}`,
    ...others.map((line) => `             ${line}`),
    `  Log        ${evidenceLogLine(config)}`,
    ...(isEmbedded ? ['  Ctrl-C     stops it, its database included; the data stay in the data folder.'] : []),
    '',
  ].join('\n');
}

/** The instrument of the first decision in README.md. */
const FIRST = 'stock:MSFT:NASDAQ:spot:USD';

async function hasFirstPrices(barsDir: string): Promise<boolean> {
  return (await instrumentsIn(barsDir)).some((instrument) => instrumentKey(instrument) === FIRST);
}

function missingPrices(isEmbedded: boolean): string {
  return isEmbedded
    ? 'Its prices are not installed: npm start installs them.'
    : 'Its prices are not loaded: npm run admin -- load-packaged loads them.';
}
