import { everyProcedure } from "../testing/every-procedure.ts";
import { isAboutQueries, testIsolation } from "../testing/isolation.ts";

testIsolation(everyProcedure.filter((procedure) => !isAboutQueries(procedure)));
