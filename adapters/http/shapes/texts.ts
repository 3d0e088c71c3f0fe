import { z } from 'zod';
import { CLIENT_KINDS } from '../../../domain/accounts/security-event.ts';
import { PERMISSION_MODES, TIERS } from '../../../domain/caller.ts';
import { CIRCUIT_STATES } from '../../../domain/circuits/circuit.ts';
import { COINS } from '../../../domain/circuits/coin.ts';
import { COHORT_SORTS } from '../../../domain/cohorts/cohort-reader.ts';
import {
  ANALYSIS_CLASSES,
  DIRECTIONS,
  HORIZON_KINDS,
  PERSPECTIVE_TYPES,
  SUBMISSION_ORIGINS,
} from '../../../domain/decisions/call.ts';
import { LIFECYCLE_STATES } from '../../../domain/decisions/lifecycle.ts';
import { RELATIONS } from '../../../domain/decisions/submission/submission.ts';
import { GRIDS } from '../../../domain/grading/grid.ts';
import { METHOD_NAMES } from '../../../domain/grading/method-facts.ts';
import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';
import { PAGE } from '../../../domain/limits.ts';
import { currencyName } from '../../../domain/market/symbol.ts';
import { ASSET_CLASSES, MARKETS } from '../../../domain/market/venues.ts';
import { VISIBILITIES } from '../../../domain/workflows/workflow.ts';
import { queryInteger } from '../kit/input/query-values.ts';

// The words that several shapes use; each list has one name for clients.

export const market = z.enum(MARKETS).meta({ id: 'Market' });

export const assetClass = z.enum(ASSET_CLASSES).meta({ id: 'AssetClass' });

export const direction = z.enum(DIRECTIONS).meta({ id: 'Direction' });

export const horizonKind = z.enum(HORIZON_KINDS).meta({ id: 'HorizonKind' });

export const analysisClass = z.enum(ANALYSIS_CLASSES).meta({ id: 'AnalysisClass' });

export const perspectiveType = z.enum(PERSPECTIVE_TYPES).meta({ id: 'PerspectiveType' });

export const relation = z.enum(RELATIONS).meta({ id: 'Relation' });

export const submissionOrigin = z.enum(SUBMISSION_ORIGINS).meta({ id: 'SubmissionOrigin' });

export const lifecycleState = z.enum(LIFECYCLE_STATES).meta({ id: 'LifecycleState' });

export const resultBucket = z.enum(RESULT_BUCKETS).meta({ id: 'ResultBucket' });

export const evaluationMethod = z.enum(METHOD_NAMES).meta({ id: 'EvaluationMethod' });

export const grid = z.enum(GRIDS).meta({ id: 'Grid' });

export const cohortSort = z.enum(COHORT_SORTS).meta({ id: 'CohortSort' });

export const coin = z.enum(COINS).meta({ id: 'Stablecoin' });

export const circuitState = z.enum(CIRCUIT_STATES).meta({ id: 'CircuitState' });

export const permissionMode = z.enum(PERMISSION_MODES).meta({ id: 'PermissionMode' });

export const tier = z.enum(TIERS).meta({ id: 'Tier' });

export const visibility = z.enum(VISIBILITIES).meta({ id: 'Visibility' });

export const clientKind = z.enum(CLIENT_KINDS).meta({ id: 'ClientKind' });

// No text of a request contains characters that do not show: kit/input/read-input.ts refuses them in all.

export const NOT_BLANK = 'must not be blank: send a character that is no white space';

/** A text of 1 to `most` characters, not only white space; stored as it was sent, because it is evidence. */
export const filledText = (most: number) => z.string().min(1, { abort: true }).max(most).regex(/\S/, NOT_BLANK);

/** A name of 1 to `most` characters: one line, not only white space. */
export const nameText = (most: number) => filledText(most).refine(isOneLine, ONE_LINE);

/** The same, stored without the white space around it, which counts in the length. */
export const trimmedName = (most: number) => nameText(most).trim();

/** A name as in the records, in a filter; it may be sent in any case. */
export const upperCase = () => filterName().toUpperCase();

/** A currency in a filter: its letters are in any case, but `GBp` is GBX and `GBP` is not. */
export const quoteFilter = () =>
  filterName()
    .overwrite((text) => currencyName(text) ?? text)
    .describe('Such as USD or USDT; `GBp` is GBX, which is a hundredth of GBP.');

const filterName = () =>
  z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]{1,40}$/, 'must be a name of up to 40 letters, digits and signs');

/** A reason of 1 to `most` characters in one or more lines, stored alike. */
export const reasonText = (most: number) => filledText(most).trim();

/** A description of up to `most` characters; it may be empty. */
export const descriptionText = (most: number) => z.string().max(most);

const ONE_LINE = { error: 'must be one line: send it without tabs and line ends' };

function isOneLine(text: string): boolean {
  return !/[\t\n\r]/.test(text);
}

interface Paging {
  /** How many a page has unless the request says so. */
  readonly usual?: number;
  /** Of a cursor, in characters. */
  readonly length?: number;
}

/** The parameters of a request for a page: `Items per page`. */
export function paged(items: string, { usual = PAGE.defaultLimit, length = PAGE.cursorLength }: Paging = {}) {
  return {
    cursor: z.string().max(length).optional().describe('The `next_cursor` of a page of the same query.'),
    limit: queryInteger(1, PAGE.limit).optional().describe(`${items} per page; default ${usual}.`),
  };
}

/** A page of items, by the name that its schema has in the document. */
export function pageOf<Item extends z.ZodType>(item: Item, id: string) {
  return z.strictObject({ items: z.array(item).readonly(), next_cursor: nextCursor() }).meta({ id });
}

/** The members of a row that the schema has: replies contain no others. */
export function membersOf<Shape extends z.ZodRawShape, Row extends Readonly<Record<keyof Shape, unknown>>>(
  { shape }: z.ZodObject<Shape>,
  row: Row,
): Pick<Row, keyof Shape> {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, row[name]])) as Pick<Row, keyof Shape>;
}

export function nextCursor() {
  return z.string().nullable().describe('The cursor of the next page; null on the last page.');
}
