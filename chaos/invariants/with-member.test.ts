import { describe, expect, it } from 'vitest';
import { withMember } from './invariant.ts';

describe('a record with one member set', () => {
  it('has the same JSON for any order of insertion', () => {
    const one = withMember(withMember({}, 'b', 2), 'a', 1);
    const other = withMember(withMember({}, 'a', 1), 'b', 2);
    expect(JSON.stringify(one)).toBe('{"a":1,"b":2}');
    expect(JSON.stringify(other)).toBe(JSON.stringify(one));
  });

  it('keeps the order of an existing member, and is the same object if the member does not change', () => {
    const record = { a: 1, b: 2 };
    expect(JSON.stringify(withMember(record, 'a', 3))).toBe('{"a":3,"b":2}');
    expect(withMember(record, 'b', 2)).toBe(record);
    expect(record).toEqual({ a: 1, b: 2 });
  });
});
