import type { Found } from '../../model/search.ts';
import { createStore } from '../store.ts';

/** Acts that the shown page offers to the user, for the search. */
export const offeredActs = createStore<readonly Found[]>([]);
