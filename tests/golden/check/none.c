int no_pragmas_here;
