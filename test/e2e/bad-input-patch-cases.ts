import { type Case, MAPS } from './bad-input-case.ts';

const JSON_PATCH = { 'content-type': 'application/json-patch+json' };

const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' };

/** Invalid patches and delete options. */
export const patchCases: readonly Case[] = [
  {
    what: 'a merge patch that is no object',
    method: 'PATCH',
    path: `${MAPS}/there`,
    body: '"x"',
    code: 400,
    reason: 'BadRequest',
    says: /./,
  },
  {
    what: 'a merge patch with wrong types',
    method: 'PATCH',
    path: `${MAPS}/there`,
    body: { data: { a: 1 } },
    code: 422,
    reason: 'Invalid',
    says: 'data',
  },
  {
    what: 'a JSON patch that is no list',
    method: 'PATCH',
    path: `${MAPS}/there`,
    body: '{}',
    headers: JSON_PATCH,
    code: 400,
    reason: 'BadRequest',
    says: /./,
  },
  {
    what: 'a JSON patch of an unknown operation',
    method: 'PATCH',
    path: `${MAPS}/there`,
    body: [{ op: 'fly', path: '/data' }],
    headers: JSON_PATCH,
    code: 422,
    reason: 'Invalid',
    says: /./,
  },
  {
    what: 'a JSON patch whose test fails',
    method: 'PATCH',
    path: `${MAPS}/there`,
    body: [{ op: 'test', path: '/data/a', value: '2' }],
    headers: JSON_PATCH,
    code: 422,
    reason: 'Invalid',
    says: /./,
  },
  {
    what: 'a JSON patch into __proto__',
    method: 'PATCH',
    path: `${MAPS}/there`,
    body: [{ op: 'add', path: '/__proto__/polluted', value: '1' }],
    headers: JSON_PATCH,
    code: 422,
    reason: 'Invalid',
    says: /./,
  },
  {
    what: 'a strategic patch with an unknown directive',
    method: 'PATCH',
    path: `${MAPS}/there`,
    body: { data: { $patch: 'fly' } },
    headers: STRATEGIC,
    code: 400,
    reason: 'BadRequest',
    says: /fly|patch/,
  },
  {
    what: 'a patch that renames',
    method: 'PATCH',
    path: `${MAPS}/there`,
    body: { metadata: { name: 'other' } },
    code: 400,
    reason: 'BadRequest',
    says: 'name',
  },
  {
    what: 'invalid delete options',
    method: 'DELETE',
    path: `${MAPS}/there`,
    body: '{"gracePeriodSeconds":"x"}',
    // Upstream returns 500 without a reason for options that it cannot decode.
    code: 500,
    reason: undefined,
    says: 'gracePeriodSeconds',
  },
];
