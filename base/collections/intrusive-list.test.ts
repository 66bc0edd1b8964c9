import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IntrusiveList } from './intrusive-list.ts';

class Member {
  previous: Member | undefined;
  next: Member | undefined;
}

describe('IntrusiveList', () => {
  it('has the same members as a Set after any additions and removals', () => {
    const members = Array.from({ length: 5 }, () => new Member());
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(members.length - 1))), (steps) => {
        const [list, set] = [new IntrusiveList<Member>(), new Set<Member>()];
        for (const [adds, at] of steps) {
          const member = members[at] as Member;
          if (adds && !set.has(member)) {
            list.add(member);
            set.add(member);
          } else if (!adds) {
            list.delete(member);
            set.delete(member);
          }
          expect([...list]).toEqual([...set]);
          expect(list.size).toBe(set.size);
          expect(list.first).toBe([...set][0]);
        }
        for (const member of set) list.delete(member);
      }),
    );
  });

  it('keeps no reference to or from a removed member', () => {
    const list = new IntrusiveList<Member>();
    const [first, second, third] = [new Member(), new Member(), new Member()];
    for (const member of [first, second, third]) list.add(member);
    list.delete(second);
    expect(second).toEqual(new Member());
    expect([first.next, third.previous]).toEqual([third, first]);
  });

  it('allows removing the current member during iteration', () => {
    const list = new IntrusiveList<Member>();
    for (let count = 0; count < 3; count++) list.add(new Member());
    const seen: Member[] = [];
    for (const member of list) {
      list.delete(member);
      seen.push(member);
    }
    expect(seen).toHaveLength(3);
    expect(list.size).toBe(0);
  });
});
