import type {EventBodies, EventType} from '../audit/events.ts';

/** Adds an event to the record of a run. */
export type Emit = <T extends EventType>(type: T, body: EventBodies[T]) => void;
