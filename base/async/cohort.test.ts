import { expect, test } from 'vitest';
import { turnOfLoop } from '../clock/simulated.ts';
import { Cohort } from './cohort.ts';

test('cohort runs the members of one turn in order at the end of the turn', async () => {
  const ran: string[] = [];
  const cohort = new Cohort<string>((name) => void ran.push(name));
  cohort.join('first');
  cohort.join('second');
  await Promise.resolve();
  expect(ran).toEqual([]);
  await turnOfLoop();
  expect(ran).toEqual(['first', 'second']);
});

test('cohort runs all members through one stage before the next', async () => {
  const stages: string[] = [];
  const cohort = new Cohort<string>((name) => {
    stages.push(`${name} begins`);
    void Promise.resolve().then(() => stages.push(`${name} goes on`));
  });
  cohort.join('a');
  cohort.join('b');
  await turnOfLoop();
  expect(stages).toEqual(['a begins', 'b begins', 'a goes on', 'b goes on']);
});

test('cohort runs members that join during a run in the next one', async () => {
  const ran: number[] = [];
  const cohort = new Cohort<number>((number) => {
    ran.push(number);
    if (number < 3) cohort.join(number + 1);
  });
  cohort.join(1);
  await turnOfLoop();
  expect(ran).toEqual([1]);
  await turnOfLoop();
  await turnOfLoop();
  expect(ran).toEqual([1, 2, 3]);
});

test('cohort runs at most fifty members per turn, in order', async () => {
  const ran: number[] = [];
  const cohort = new Cohort<number>((number) => void ran.push(number));
  const all = Array.from({ length: 120 }, (_, number) => number);
  for (const number of all) cohort.join(number);
  await turnOfLoop();
  expect(ran).toEqual(all.slice(0, 50));
  cohort.join(120);
  for (let turn = 0; turn < 4; turn++) await turnOfLoop();
  expect(ran).toEqual([...all, 120]);
});
