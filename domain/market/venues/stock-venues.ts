import ASX from './ASX.json' with { type: 'json' };
import BSE from './BSE.json' with { type: 'json' };
import CHINA from './CHINA.json' with { type: 'json' };
import EURONEXT from './EURONEXT.json' with { type: 'json' };
import HKEX from './HKEX.json' with { type: 'json' };
import KRX from './KRX.json' with { type: 'json' };
import LSE from './LSE.json' with { type: 'json' };
import NSE from './NSE.json' with { type: 'json' };
import NSE_DERIVATIVES from './NSE-derivatives.json' with { type: 'json' };
import SIX from './SIX.json' with { type: 'json' };
import TSE from './TSE.json' with { type: 'json' };
import TSX from './TSX.json' with { type: 'json' };
import TWSE from './TWSE.json' with { type: 'json' };
import US from './US.json' with { type: 'json' };
import { type VenueData, venueData } from './venue-file.ts';
import XETRA from './XETRA.json' with { type: 'json' };

/** The instruments of lines, by the names of their files. */
const MEMBERS = { 'NSE-derivatives.json': NSE_DERIVATIVES };

/** The stock venues, those of the United States and of mainland China first. */
export const STOCK_VENUES: readonly VenueData[] = Object.entries({
  ...{ US, CHINA, HKEX, NSE, BSE, TSE, KRX, TWSE, LSE, EURONEXT, XETRA, SIX, TSX, ASX },
}).map(([name, content]) => {
  try {
    return venueData(content, MEMBERS);
  } catch (error) {
    throw new TypeError(`${name}.json, ${(error as Error).message}`);
  }
});
