import { expect, test } from 'vitest';
import { ownName } from './controllers.ts';

test.each([
  ['ttl-after-finished', 'ttlafterfinished'],
  ['-ttl-after-finished', '-ttlafterfinished'],
  ['-cronjob', '-cronjob'],
  ['*', '*'],
])('maps %s of --controllers to %s', (item, own) => expect(ownName(item)).toBe(own));
