import { parentPort, workerData } from 'node:worker_threads';
import { SharedOffset } from '../../base/clock/index.ts';
import type { ManagerOrder, ThreadData } from './controllers-thread-messages.ts';
import { createIdleMemory } from '../program/idle-memory.ts';
import { createEnvironment, logUnhandled } from '../program/program.ts';
import { runManager } from './run-manager.ts';

// Entry point of the controllers' thread, which runs one manager for each order.
const { name, verbosity, offset } = workerData as ThreadData;
const environment = createEnvironment(name, verbosity, offset && new SharedOffset(offset));
logUnhandled(environment);
void createIdleMemory(environment).start();
parentPort?.on('message', (order: ManagerOrder) => runManager(order, environment));
