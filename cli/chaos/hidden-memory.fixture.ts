import { hiddenMemories, remembering } from '../../chaos/explore/hidden-memory.fixture.ts';
import * as example from '../../examples/config-map-ttl.chaos.ts';

const [createSeen] = hiddenMemories['a plain object'] ?? [];
if (createSeen === undefined) throw new Error('no such memory');

export const controllers = example.controllers.map((each) => remembering(each, createSeen));
export const { invariants, scenario } = example;
