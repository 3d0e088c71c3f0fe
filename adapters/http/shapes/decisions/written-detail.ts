import { z } from 'zod';
import type { DetailWriter } from '../../../../application/decisions/stored-detail.ts';
import { replyJson } from '../../../../application/json-text.ts';
import { sha256 } from '../../../../application/sha256.ts';
import { checkedBy } from '../../kit/reply/checked-value.ts';
import { anyDetail } from './decision-views.ts';

const checked = checkedBy(anyDetail, 'The detail of a record');

/** Raised when details of the same schema are made in another way, so that stored ones of before are not sent. */
export const EDITION = 2;

let edition: string | undefined;

/** Writes the replies of all endpoints that return one detail. */
export const DETAIL_WRITER: DetailWriter = {
  get edition() {
    edition ??= sha256(`${EDITION} ${JSON.stringify(z.toJSONSchema(anyDetail, { unrepresentable: 'any' }))}`).toString(
      'base64url',
    );
    return edition;
  },
  write: (detail) => replyJson(checked(detail)),
};
